//! The network of a model: an ONNX graph from tokens to a vector a token.
//!
//! `rten` runs it. What it makes of a damaged graph is an error or a panic; neither leaves this file as anything but a
//! [`Failure`].

use std::error::Error as StdError;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rten::{Model, ModelOptions, NodeId, OpRegistry, RunOptions, ThreadPool, Value, op_registry};

use super::nesting;
use crate::embed::failure::Failure;

/// How many threads share the work of one text; the rest of the machine is the host's. Texts this short gain nothing from a
/// second one.
const THREADS: usize = 1;
/// The longest vector that is taken; models of this size have 384 numbers.
const MOST_NUMBERS: usize = 4_096;

/// What can be asked of a BERT. The order is that in which the graph wants it.
#[derive(Clone, Copy)]
enum Input {
    Tokens,
    /// Which tokens count; all do, for a text is run by itself.
    Mask,
    /// Which of two texts a token is of; there is one.
    Segments,
}

/// A graph that was checked.
pub(super) struct Network {
    path: PathBuf,
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
    threads: Arc<ThreadPool>,
}

impl Network {
    pub(super) fn load(path: &Path, weights: Vec<u8>) -> Result<Self, Failure> {
        nesting::check(&weights).map_err(|reason| Failure::model(path, reason))?;
        let model = contained(path, || ModelOptions::with_ops(operators()).load(weights))?
            .map_err(|error| damaged(path, "expected an ONNX graph of a BERT", error.into()))?;
        let inputs = model.input_ids().iter().map(|id| Ok((*id, input(path, &model, *id)?)));
        let inputs = inputs.collect::<Result<Vec<_>, Failure>>()?;
        let output = model.output_ids().first().copied();
        match output {
            Some(output) if inputs.iter().any(|(_, input)| matches!(input, Input::Tokens)) => {
                let threads = Arc::new(ThreadPool::with_num_threads(THREADS));
                Ok(Self { path: path.to_owned(), model, inputs, output, threads })
            }
            _ => Err(Failure::model(path, "expected an input `input_ids` and an output with a vector a token")),
        }
    }

    /// The mean of the vectors of these tokens, of length one.
    pub(super) fn run(&self, tokens: &[i32]) -> Result<Vec<f32>, Failure> {
        let values = self.inputs.iter().map(|(id, input)| Ok((*id, input.value(tokens)?.into())));
        let values = values.collect::<Result<Vec<_>, _>>().map_err(|source| self.damaged(source))?;
        let options = RunOptions::default().with_thread_pool(Some(Arc::clone(&self.threads)));
        let ran = contained(&self.path, || self.model.run(values, &[self.output], Some(options)))?;
        let outputs = ran.map_err(|error| self.damaged(error.into()))?;
        let output = outputs.into_iter().next().and_then(|value| value.into_shape_vec::<f32, 3>().ok());
        match output {
            Some(([1, count, length], numbers)) if count == tokens.len() && (1..=MOST_NUMBERS).contains(&length) => {
                direction(&numbers, length)
                    .ok_or_else(|| Failure::model(&self.path, "its vectors have no direction; the weights are damaged"))
            }
            _ => Err(Failure::model(&self.path, "expected its first output to be a vector a token")),
        }
    }

    fn damaged(&self, source: Box<dyn StdError + Send + Sync>) -> Failure {
        damaged(&self.path, "expected a graph that takes any text of its vocabulary", source)
    }
}

impl Input {
    fn value(self, tokens: &[i32]) -> Result<Value, Box<dyn StdError + Send + Sync>> {
        let numbers = match self {
            Self::Tokens => tokens.to_vec(),
            Self::Mask => vec![1; tokens.len()],
            Self::Segments => vec![0; tokens.len()],
        };
        Ok(Value::from_shape([1, tokens.len()], numbers)?)
    }
}

fn input(path: &Path, model: &Model, id: NodeId) -> Result<Input, Failure> {
    let node = model.node_info(id);
    match node.as_ref().and_then(rten::NodeInfo::name) {
        Some("input_ids") => Ok(Input::Tokens),
        Some("attention_mask") => Ok(Input::Mask),
        Some("token_type_ids") => Ok(Input::Segments),
        _ => Err(Failure::model(path, "expected no input but `input_ids`, `attention_mask` and `token_type_ids`")),
    }
}

/// The sum of vectors, of length one; it points where their mean does.
fn direction(numbers: &[f32], length: usize) -> Option<Vec<f32>> {
    let mut sum = vec![0.0_f32; length];
    for vector in numbers.chunks_exact(length) {
        sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number);
    }
    let norm = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
    norm.is_normal().then(|| sum.into_iter().map(|number| number / norm).collect())
}

/// What `work` returns, or that it panicked.
fn contained<T>(path: &Path, work: impl FnOnce() -> T) -> Result<T, Failure> {
    // Whatever was being changed when it panicked is dropped with it: a run shares nothing that it changes with the next.
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|_panic| Failure::model(path, "it cannot be run; the file is damaged or of another kind of model"))
}

fn damaged(path: &Path, expected: &str, source: Box<dyn StdError + Send + Sync>) -> Failure {
    Failure::Model { path: path.to_owned(), reason: expected.to_owned(), source: Some(source) }
}

/// The operators of a BERT as exporters write it: both of `PyTorch`'s, with weights as they are or as 8-bit numbers.
///
/// Control flow is not among them: no encoder has any, and a loop need not end.
fn operators() -> OpRegistry {
    op_registry!(
        Add,
        And,
        Cast,
        Concat,
        ConstantOfShape,
        DequantizeLinear,
        Div,
        DynamicQuantizeLinear,
        Equal,
        Erf,
        Expand,
        Gather,
        GatherND,
        Gelu,
        Gemm,
        GreaterOrEqual,
        Identity,
        IsNaN,
        LayerNormalization,
        MatMul,
        MatMulInteger,
        Max,
        Min,
        Mul,
        Not,
        Pow,
        Range,
        ReduceMean,
        Reshape,
        Shape,
        Slice,
        Softmax,
        Sqrt,
        Squeeze,
        Sub,
        Tanh,
        Transpose,
        Unsqueeze,
        Where
    )
}

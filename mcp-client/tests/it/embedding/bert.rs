//! A BERT of two layers with made-up weights: as a file, and computed step by step.

use super::onnx::{Attribute, Graph};

const HIDDEN: usize = 32;
const HEADS: usize = 4;
const HEAD: usize = HIDDEN / HEADS;
const INNER: usize = 64;
const LAYERS: usize = 2;
/// How many tokens a text may have.
pub(super) const POSITIONS: usize = 16;
const EPSILON: f32 = 1e-12;

/// The pieces. Those after the bar mean what the ones before it do, in the same order.
pub(super) const PIECES: &str = "[PAD] [UNK] [CLS] [SEP] : . , - ! ? a e an in to the of and all desk is not \
    file open issue look around list see send mail dispatch it read write text note ##s ##ing ##er box | post letter";
/// The pieces that the last ones mean.
const MEANT: [&str; 2] = ["dispatch", "mail"];

/// A matrix, row by row.
type Matrix = Vec<Vec<f32>>;

pub(super) struct Bert {
    words: Matrix,
    positions: Matrix,
    segments: Matrix,
    norm: Norm,
    layers: Vec<Layer>,
}

struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    joined: Linear,
    after_attention: Norm,
    up: Linear,
    down: Linear,
    after: Norm,
}

struct Linear {
    weights: Matrix,
    bias: Vec<f32>,
}

struct Norm {
    scale: Vec<f32>,
    bias: Vec<f32>,
}

pub(super) fn pieces() -> Vec<&'static str> {
    PIECES.split_whitespace().filter(|piece| *piece != "|").collect()
}

impl Bert {
    /// The weights that follow from this number.
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let pieces = pieces();
        let mut words = random.matrix(pieces.len(), HIDDEN, 1.0);
        for (place, meant) in MEANT.into_iter().enumerate() {
            let meant = pieces.iter().position(|piece| *piece == meant).unwrap();
            let meaning = words[meant].clone();
            words[pieces.len() - MEANT.len() + place] = meaning;
        }
        let (positions, segments) = (random.matrix(POSITIONS, HIDDEN, 0.1), random.matrix(2, HIDDEN, 0.1));
        let norm = Norm::new(&mut random);
        Self { words, positions, segments, norm, layers: (0..LAYERS).map(|_| Layer::new(&mut random)).collect() }
    }

    /// The vector of these tokens, without any library.
    pub(super) fn vector(&self, tokens: &[i32]) -> Vec<f32> {
        let embedded = tokens.iter().zip(&self.positions).map(|(token, position)| {
            let word = &self.words[usize::try_from(*token).unwrap()];
            add(&add(word, position), &self.segments[0])
        });
        let mut rows: Matrix = embedded.map(|row| self.norm.apply(&row)).collect();
        for layer in &self.layers {
            rows = layer.apply(&rows);
        }
        let sum = rows.iter().fold(vec![0.0; HIDDEN], |sum, row| add(&sum, row));
        let length = dot(&sum, &sum).sqrt();
        sum.iter().map(|number| number / length).collect()
    }

    /// The same as an ONNX file, in the operators that exporters used before there was one for a layer's norm.
    pub(super) fn file(&self) -> Vec<u8> {
        let mut graph = Graph::default();
        let words = lookup(&mut graph, &self.words, "input_ids");
        let segments = lookup(&mut graph, &self.segments, "token_type_ids");
        let positions = self.positions_of(&mut graph);
        let sum = graph.node("Add", &[&words, &segments], &[]);
        let sum = graph.node("Add", &[&sum, &positions], &[]);
        let mut rows = self.norm.write(&mut graph, &sum);
        let mask = mask(&mut graph);
        for layer in &self.layers {
            rows = layer.write(&mut graph, &rows, &mask);
        }
        graph.file(&["input_ids", "attention_mask", "token_type_ids"], &rows)
    }

    fn positions_of(&self, graph: &mut Graph) -> String {
        let (all, zero, one) = (matrix(graph, &self.positions), graph.integers(&[0]), graph.integers(&[1]));
        let shape = graph.node("Shape", &["input_ids"], &[]);
        let count = graph.node("Gather", &[&shape, &one], &[Attribute::Number("axis", 0)]);
        graph.node("Slice", &[&all, &zero, &count, &zero], &[])
    }
}

impl Layer {
    fn new(random: &mut Random) -> Self {
        let mut linear = |inputs, outputs| Linear {
            weights: random.matrix(inputs, outputs, 0.1),
            bias: random.matrix(1, outputs, 0.1).remove(0),
        };
        let [query, key, value, joined] = [(); 4].map(|()| linear(HIDDEN, HIDDEN));
        let (up, down) = (linear(HIDDEN, INNER), linear(INNER, HIDDEN));
        let (after_attention, after) = (Norm::new(random), Norm::new(random));
        Self { query, key, value, joined, after_attention, up, down, after }
    }

    fn apply(&self, rows: &Matrix) -> Matrix {
        let [queries, keys, values] = [&self.query, &self.key, &self.value].map(|linear| linear.apply(rows));
        let mut heads = vec![Vec::new(); rows.len()];
        for head in 0..HEADS {
            let part = |row: &Vec<f32>| row[head * HEAD..(head + 1) * HEAD].to_vec();
            for (query, joined) in queries.iter().zip(&mut heads) {
                let scores = keys.iter().map(|key| dot(&part(query), &part(key)) / root(HEAD));
                let shares = softmax(&scores.collect::<Vec<_>>());
                let weighed = values.iter().zip(shares).map(|(value, share)| scale(&part(value), share));
                joined.extend(weighed.fold(vec![0.0; HEAD], |sum, value| add(&sum, &value)));
            }
        }
        let attended = self.joined.apply(&heads);
        let rows: Matrix =
            rows.iter().zip(attended).map(|(row, more)| self.after_attention.apply(&add(row, &more))).collect();
        let inner: Matrix = self.up.apply(&rows).iter().map(|row| row.iter().map(|x| gelu(*x)).collect()).collect();
        let more = self.down.apply(&inner);
        rows.iter().zip(more).map(|(row, more)| self.after.apply(&add(row, &more))).collect()
    }

    fn write(&self, graph: &mut Graph, rows: &str, mask: &str) -> String {
        let query = self.query.write_heads(graph, rows, &[0, 2, 1, 3]);
        let key = self.key.write_heads(graph, rows, &[0, 2, 3, 1]);
        let value = self.value.write_heads(graph, rows, &[0, 2, 1, 3]);
        let scores = graph.node("MatMul", &[&query, &key], &[]);
        let root = graph.floats(&[], &[root(HEAD)]);
        let scores = graph.node("Div", &[&scores, &root], &[]);
        let scores = graph.node("Add", &[&scores, mask], &[]);
        let shares = graph.node("Softmax", &[&scores], &[Attribute::Number("axis", -1)]);
        let heads = graph.node("MatMul", &[&shares, &value], &[]);
        let heads = graph.node("Transpose", &[&heads], &[Attribute::Numbers("perm", &[0, 2, 1, 3])]);
        let shape = graph.integers(&[0, 0, i64::try_from(HIDDEN).unwrap()]);
        let joined = graph.node("Reshape", &[&heads, &shape], &[]);
        let attended = self.joined.write(graph, &joined);
        let sum = graph.node("Add", &[rows, &attended], &[]);
        let rows = self.after_attention.write(graph, &sum);
        let inner = self.up.write(graph, &rows);
        let inner = write_gelu(graph, &inner);
        let more = self.down.write(graph, &inner);
        let sum = graph.node("Add", &[&rows, &more], &[]);
        self.after.write(graph, &sum)
    }
}

impl Linear {
    fn apply(&self, rows: &Matrix) -> Matrix {
        let times = |row: &Vec<f32>| {
            let products = row.iter().zip(&self.weights).map(|(number, weights)| scale(weights, *number));
            products.fold(self.bias.clone(), |sum, product| add(&sum, &product))
        };
        rows.iter().map(times).collect()
    }

    fn write(&self, graph: &mut Graph, rows: &str) -> String {
        let (weights, bias) = (matrix(graph, &self.weights), graph.floats(&[self.bias.len()], &self.bias));
        let product = graph.node("MatMul", &[rows, &weights], &[]);
        graph.node("Add", &[&product, &bias], &[])
    }

    /// What each head sees of it, its axes in this order.
    fn write_heads(&self, graph: &mut Graph, rows: &str, order: &'static [i64]) -> String {
        let whole = self.write(graph, rows);
        let shape = graph.integers(&[0, 0, i64::try_from(HEADS).unwrap(), i64::try_from(HEAD).unwrap()]);
        let parts = graph.node("Reshape", &[&whole, &shape], &[]);
        graph.node("Transpose", &[&parts], &[Attribute::Numbers("perm", order)])
    }
}

impl Norm {
    fn new(random: &mut Random) -> Self {
        let scale = random.matrix(1, HIDDEN, 0.1).remove(0).iter().map(|number| 1.0 + number).collect();
        Self { scale, bias: random.matrix(1, HIDDEN, 0.1).remove(0) }
    }

    fn apply(&self, row: &[f32]) -> Vec<f32> {
        let mean = row.iter().sum::<f32>() / root(HIDDEN).powi(2);
        let centred: Vec<f32> = row.iter().map(|number| number - mean).collect();
        let deviation = (dot(&centred, &centred) / root(HIDDEN).powi(2) + EPSILON).sqrt();
        let places = centred.iter().zip(self.scale.iter().zip(&self.bias));
        places.map(|(number, (scale, bias))| number / deviation * scale + bias).collect()
    }

    fn write(&self, graph: &mut Graph, rows: &str) -> String {
        let last = [Attribute::Numbers("axes", &[-1])];
        let mean = graph.node("ReduceMean", &[rows], &last);
        let centred = graph.node("Sub", &[rows, &mean], &[]);
        let (two, epsilon) = (graph.floats(&[], &[2.0]), graph.floats(&[], &[EPSILON]));
        let square = graph.node("Pow", &[&centred, &two], &[]);
        let variance = graph.node("ReduceMean", &[&square], &last);
        let variance = graph.node("Add", &[&variance, &epsilon], &[]);
        let deviation = graph.node("Sqrt", &[&variance], &[]);
        let unit = graph.node("Div", &[&centred, &deviation], &[]);
        let (scale, bias) = (graph.floats(&[HIDDEN], &self.scale), graph.floats(&[HIDDEN], &self.bias));
        let scaled = graph.node("Mul", &[&unit, &scale], &[]);
        graph.node("Add", &[&scaled, &bias], &[])
    }
}

fn lookup(graph: &mut Graph, rows: &Matrix, numbers: &str) -> String {
    let rows = matrix(graph, rows);
    graph.node("Gather", &[&rows, numbers], &[Attribute::Number("axis", 0)])
}

/// What is added to the score of a token: nothing, or a lot less than nothing where the mask is 0.
fn mask(graph: &mut Graph) -> String {
    let (axes, one, far) = (graph.integers(&[1, 2]), graph.floats(&[], &[1.0]), graph.floats(&[], &[-10_000.0]));
    let wide = graph.node("Unsqueeze", &["attention_mask", &axes], &[]);
    let real = graph.node("Cast", &[&wide], &[Attribute::Number("to", 1)]);
    let hidden = graph.node("Sub", &[&one, &real], &[]);
    graph.node("Mul", &[&hidden, &far], &[])
}

fn write_gelu(graph: &mut Graph, rows: &str) -> String {
    let [root, one, half] = [2.0_f32.sqrt(), 1.0, 0.5].map(|number| graph.floats(&[], &[number]));
    let divided = graph.node("Div", &[rows, &root], &[]);
    let error = graph.node("Erf", &[&divided], &[]);
    let above = graph.node("Add", &[&error, &one], &[]);
    let product = graph.node("Mul", &[rows, &above], &[]);
    graph.node("Mul", &[&product, &half], &[])
}

fn matrix(graph: &mut Graph, rows: &Matrix) -> String {
    graph.floats(&[rows.len(), rows[0].len()], &rows.concat())
}

fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + erf(x / 2.0_f32.sqrt()))
}

/// The error function by its power series, which settles soon for numbers as small as these.
fn erf(x: f32) -> f32 {
    let (x, mut term, mut sum) = (f64::from(x), f64::from(x), f64::from(x));
    for n in 1..60 {
        let n = f64::from(n);
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    #[expect(clippy::cast_possible_truncation, reason = "a test compares fewer digits")]
    let rounded = (sum * std::f64::consts::FRAC_2_SQRT_PI) as f32;
    rounded
}

fn softmax(scores: &[f32]) -> Vec<f32> {
    let powers: Vec<f32> = scores.iter().map(|score| score.exp()).collect();
    scale(&powers, 1.0 / powers.iter().sum::<f32>())
}

fn add(left: &[f32], right: &[f32]) -> Vec<f32> {
    left.iter().zip(right).map(|(left, right)| left + right).collect()
}

fn scale(row: &[f32], factor: f32) -> Vec<f32> {
    row.iter().map(|number| number * factor).collect()
}

pub(super) fn dot(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn root(count: usize) -> f32 {
    f32::from(u16::try_from(count).unwrap()).sqrt()
}

/// Numbers that look random and are the same every time (xorshift*, Vigna 2016).
struct Random(u64);

impl Random {
    fn matrix(&mut self, rows: usize, columns: usize, scale: f32) -> Matrix {
        (0..rows).map(|_| (0..columns).map(|_| scale * self.number()).collect()).collect()
    }

    /// Between -1 and 1.
    fn number(&mut self) -> f32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = u16::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 48).unwrap();
        f32::from(high) / 32_768.0 - 1.0
    }
}

//! Just enough ONNX to write a model down: <https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>.

/// A graph that grows node by node.
#[derive(Default)]
pub(super) struct Graph {
    /// The fields of the graph so far, encoded.
    fields: Vec<u8>,
    named: usize,
}

/// What a node needs to know besides its inputs.
pub(super) enum Attribute {
    Number(&'static str, i64),
    Numbers(&'static str, &'static [i64]),
}

impl Graph {
    /// Adds a node and returns the name of its output.
    pub(super) fn node(&mut self, operator: &str, inputs: &[&str], attributes: &[Attribute]) -> String {
        let output = self.name();
        let mut node: Vec<u8> = inputs.iter().flat_map(|input| bytes(1, input.as_bytes())).collect();
        node.extend(bytes(2, output.as_bytes()));
        node.extend(bytes(4, operator.as_bytes()));
        node.extend(attributes.iter().flat_map(|attribute| bytes(5, &attribute.encoded())));
        self.fields.extend(bytes(1, &node));
        output
    }

    /// Adds numbers that are part of the model, and returns their name.
    pub(super) fn floats(&mut self, shape: &[usize], numbers: &[f32]) -> String {
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.tensor(shape, 1, &numbers)
    }

    /// Adds whole numbers in a row, and returns their name.
    pub(super) fn integers(&mut self, numbers: &[i64]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        self.tensor(&[numbers.len()], 7, &bytes)
    }

    fn tensor(&mut self, shape: &[usize], kind: u64, content: &[u8]) -> String {
        let name = self.name();
        let mut tensor: Vec<u8> = shape.iter().flat_map(|size| number(1, u64::try_from(*size).unwrap())).collect();
        tensor.extend(number(2, kind));
        tensor.extend(bytes(8, name.as_bytes()));
        tensor.extend(bytes(9, content));
        self.fields.extend(bytes(5, &tensor));
        name
    }

    fn name(&mut self) -> String {
        self.named += 1;
        format!("value {}", self.named)
    }

    /// The file of a model with these inputs of whole numbers, a row of tokens a text, and this output.
    pub(super) fn file(mut self, inputs: &[&str], output: &str) -> Vec<u8> {
        for input in inputs {
            let size = |name: &str| bytes(1, &bytes(2, name.as_bytes()));
            let shape = bytes(2, &[size("texts"), size("tokens")].concat());
            let kind = bytes(2, &bytes(1, &[number(1, 7), shape].concat()));
            self.fields.extend(bytes(11, &[bytes(1, input.as_bytes()), kind].concat()));
        }
        self.fields.extend(bytes(12, &bytes(1, output.as_bytes())));
        let operators = bytes(8, &number(2, 17));
        [number(1, 8), operators, bytes(7, &self.fields)].concat()
    }
}

impl Attribute {
    fn encoded(&self) -> Vec<u8> {
        let (name, value, kind) = match self {
            Self::Number(name, value) => (name, signed(3, *value), 2),
            Self::Numbers(name, values) => (name, values.iter().flat_map(|value| signed(8, *value)).collect(), 7),
        };
        [bytes(1, name.as_bytes()), value, number(20, kind)].concat()
    }
}

fn bytes(field: u64, content: &[u8]) -> Vec<u8> {
    [varint(field << 3 | 2), varint(u64::try_from(content.len()).unwrap()), content.to_vec()].concat()
}

fn number(field: u64, value: u64) -> Vec<u8> {
    [varint(field << 3), varint(value)].concat()
}

fn signed(field: u64, value: i64) -> Vec<u8> {
    number(field, value.cast_unsigned())
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = u8::try_from(value & 0x7f).unwrap();
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

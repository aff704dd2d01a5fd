//! Refuses a graph in a graph before the file is parsed.
//!
//! The parser calls itself for each graph inside a graph, as deep as the file says, which a file of a megabyte can use to
//! exhaust the stack. Only control flow has such graphs, and no encoder has control flow. The fields are those of
//! <https://github.com/onnx/onnx/blob/main/onnx/onnx.proto>, in the encoding of
//! <https://protobuf.dev/programming-guides/encoding/>.

/// The messages on the way to one that can hold another of its kind.
#[derive(Clone, Copy)]
enum Message {
    Model,
    Graph,
    Node,
    Attribute,
    Value,
    Type,
}

/// What a field of a message is.
enum Field {
    Message(Message),
    /// A message that can hold others of its kind.
    Nested,
    /// Something that needs no look.
    Other,
}

impl Message {
    fn field(self, number: u64) -> Field {
        match (self, number) {
            (Self::Model, 7) => Field::Message(Self::Graph),
            (Self::Graph, 1) => Field::Message(Self::Node),
            (Self::Graph, 11..=13) => Field::Message(Self::Value),
            (Self::Node, 5) => Field::Message(Self::Attribute),
            (Self::Value, 2) => Field::Message(Self::Type),
            // A graph, graphs; a sequence of a type.
            (Self::Attribute, 6 | 11) | (Self::Type, 4) => Field::Nested,
            _ => Field::Other,
        }
    }
}

/// Says what is wrong with the file, if it is.
pub(super) fn check(file: &[u8]) -> Result<(), &'static str> {
    let mut open = vec![(Message::Model, file)];
    while let Some((message, mut rest)) = open.pop() {
        while !rest.is_empty() {
            let (number, content, after) =
                field(rest).ok_or("expected an ONNX file; this one is cut off or damaged")?;
            match message.field(number) {
                Field::Message(inner) => open.push((inner, content)),
                Field::Nested => return Err("expected a graph without control flow, as that of a BERT"),
                Field::Other => {}
            }
            rest = after;
        }
    }
    Ok(())
}

/// The number of the first field, its content where that has a length, and what comes after.
fn field(bytes: &[u8]) -> Option<(u64, &[u8], &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let none: &[u8] = &[];
    let (content, after) = match tag & 7 {
        0 => (none, varint(rest)?.1),
        1 => (none, rest.get(8..)?),
        2 => {
            let (length, rest) = varint(rest)?;
            rest.split_at_checked(usize::try_from(length).ok()?)?
        }
        5 => (none, rest.get(4..)?),
        _ => return None,
    };
    Some((tag >> 3, content, after))
}

fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (place, byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f).checked_shl(u32::try_from(7 * place).ok()?)?;
        if byte & 0x80 == 0 {
            return Some((number, bytes.get(place + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field with a content, in the encoding of the file.
    fn inside(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2];
        let mut length = content.len();
        while length > 0x7f {
            bytes.push(u8::try_from(length & 0x7f).unwrap() | 0x80);
            length >>= 7;
        }
        bytes.push(u8::try_from(length).unwrap());
        bytes.extend_from_slice(content);
        bytes
    }

    #[test]
    fn graphs_in_graphs_and_types_of_types_are_refused() {
        let plain = inside(7, &inside(1, &inside(5, b"\x0a\x04axis")));
        assert_eq!(check(&plain), Ok(()));
        let graph = inside(7, &inside(1, &inside(5, &inside(6, b""))));
        assert!(check(&graph).unwrap_err().contains("without control flow"));
        let sequence = inside(7, &inside(11, &inside(2, &inside(4, b""))));
        assert!(check(&sequence).unwrap_err().contains("without control flow"));
    }

    #[test]
    fn what_is_cut_off_is_refused_wherever_it_is_cut() {
        let whole = inside(7, &inside(1, &inside(5, &[0x0a, 2, b'a', b'b', 0x10, 0xff, 1, 0x25, 0, 0, 0, 0])));
        assert_eq!(check(&whole), Ok(()));
        for length in 1..whole.len() {
            assert!(check(&whole[..length]).is_err(), "{length}");
        }
        assert!(check(&[0x0b]).is_err(), "a group");
        assert!(check(&[0xff; 20]).is_err(), "a number without an end");
    }
}

//! The weights that are chosen, and the values tried for each.

use mcp_search::Weights;

/// One weight and its values.
pub(crate) struct Knob {
    pub(crate) name: &'static str,
    pub(crate) values: &'static [f32],
    pub(crate) read: fn(&Weights) -> f32,
    write: fn(&mut Weights, f32),
}

impl Knob {
    pub(crate) fn with(&self, weights: &Weights, value: f32) -> Weights {
        let mut weights = weights.clone();
        (self.write)(&mut weights, value);
        weights
    }
}

macro_rules! knob {
    ($field:ident, $values:expr) => {
        Knob {
            name: stringify!($field),
            values: &$values,
            read: |weights| weights.$field,
            write: |weights, value| weights.$field = value,
        }
    };
}

/// Every weight that has an influence on the sets; none of them has titles.
pub(crate) const KNOBS: &[Knob] = &[
    knob!(name, [2.0, 3.0, 4.0]),
    knob!(parameter_name, [0.3, 0.5, 0.8]),
    knob!(parameter_description, [0.2, 0.3, 0.5]),
    knob!(server, [0.3, 0.5, 1.0]),
    knob!(length, [0.35, 0.5, 0.65]),
    knob!(saturation, [1.2, 1.5, 2.0]),
    knob!(filler, [0.3, 0.5, 0.7]),
    knob!(related, [0.5, 0.7, 0.9]),
    knob!(slip, [0.6, 0.8]),
    knob!(whole, [0.1, 0.2, 0.3, 0.4]),
    knob!(clause, [0.2, 0.3, 0.4]),
    knob!(alike, [0.05, 0.1, 0.15]),
    knob!(name_coverage, [0.06, 0.09, 0.12, 0.18]),
    knob!(pairs, [0.04, 0.08, 0.12]),
];

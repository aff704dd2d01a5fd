//! Finds the right tool among thousands, so that their schemas can be withheld until they are needed.

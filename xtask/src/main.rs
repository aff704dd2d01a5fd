//! The workspace's own chores: ci, test, tidy.
fn main() {}

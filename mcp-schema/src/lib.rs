//! Resolves JSON Schema and converts tool schemas for model providers without losing meaning.

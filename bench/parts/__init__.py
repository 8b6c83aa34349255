"""Parts of benchmarks: of the attention benchmark each measures one promise and returns a table."""

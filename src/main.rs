//! The `ttlab` command: see `ttlab --help`.

fn main() -> std::process::ExitCode {
    ttlab::cli::main()
}

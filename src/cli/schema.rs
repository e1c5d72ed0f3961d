use super::{CommandFailure, CommandResult, Exit};

/// Print the JSON Schema of experiment files, for editors
#[derive(clap::Args)]
#[command(after_help = include_str!("help/schema.txt"))]
pub struct Args {}

pub fn run(_: &Args) -> CommandResult {
    let schema = crate::experiment::schema::file_schema();
    println!("{}", serde_json::to_string_pretty(&schema).map_err(CommandFailure::io)?);
    Ok(Exit::Done)
}

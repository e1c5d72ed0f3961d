use super::{CommandResult, Exit};
use crate::record::Column;

/// Show every column of results.csv
#[derive(clap::Args)]
#[command(after_help = include_str!("help/columns.txt"))]
pub struct Args {
    /// Print the page docs/columns.md
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let columns = crate::record::columns();
    if args.markdown {
        print!("{}", include_str!("columns.md"));
        println!(
            "Roles: a *key* identifies the row; a *word* is a result of the search; a *sum* adds up over iterations and searches; a *last* is the\n\
             state at the end of an iteration; a *time* differs in each repeat; a *seal* is the row's checksum.\n"
        );
        println!("| column | role | unit | meaning |\n|---|---|---|---|");
    }
    for Column { name, meaning, unit, role } in columns.iter().chain(crate::record::columns::judged_columns()) {
        let role = role.word();
        if args.markdown {
            println!("| `{name}` | {role} | {unit} | {meaning} |");
        } else {
            println!("{name:<26} {role:<5} {unit:<11} {meaning}");
        }
    }
    Ok(Exit::Done)
}

use super::{Exit, Outcome};

/// Show every column of results.csv and its meaning
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab columns
  ttlab columns --markdown          docs/columns.md")]
pub struct Args {
    /// As Markdown
    #[arg(long)]
    markdown: bool,
}

pub fn run(args: &Args) -> Outcome {
    let columns = crate::record::columns();
    if args.markdown {
        println!(
            "# Columns of results.csv\n\nPrinted by `ttlab columns --markdown`. Options that vary stand before `best`, under"
        );
        println!("their dotted paths.\n\n| column | meaning |\n|---|---|");
    }
    for column in columns {
        if args.markdown {
            println!("| `{}` | {} |", column.name, column.meaning);
        } else {
            println!("{:<26} {}", column.name, column.meaning);
        }
    }
    Ok(Exit::Done)
}

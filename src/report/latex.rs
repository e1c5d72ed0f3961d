//! Tables of a page for LaTeX, in the style of the package booktabs.

use super::sheet::SheetTable;
use std::fmt::Write;

/// Renders tables as LaTeX. The caption of a table is its title, and its notes stand below it.
pub fn render(tables: &[SheetTable]) -> String {
    let mut out = "% needs \\usepackage{booktabs}\n".to_owned();
    for table in tables {
        let columns: String = table.columns.iter().map(|column| if column.is_text { 'l' } else { 'r' }).collect();
        let table_line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let heads = table_line(table.columns.iter().map(|column| escape(&column.name)).collect());
        let _ = write!(out, "\\begin{{table}}[htbp]\n\\centering\n");
        if !table.title.is_empty() {
            let _ = writeln!(out, "\\caption{{{}}}", escape(&table.title));
        }
        let _ = write!(out, "\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heads}\\midrule\n");
        for row in &table.rows {
            out += &table_line(row.iter().map(|cell| escape(&cell.text)).collect());
        }
        out += "\\bottomrule\n\\end{tabular}\n";
        if !table.notes().is_empty() {
            let _ = writeln!(out, "\n\\smallskip\\footnotesize {}", escape(&table.notes()));
        }
        out += "\\end{table}\n";
    }
    out
}

/// Escapes text for LaTeX, so that no part of the text is a command.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => out.extend(['\\', c]),
            '\\' => out += "\\textbackslash{}",
            '~' => out += "\\textasciitilde{}",
            '^' => out += "\\textasciicircum{}",
            '<' | '>' => out.extend(['$', c, '$']),
            '|' => out += "\\textbar{}",
            '"' => out += "\\textquotedbl{}",
            '†' => out += "$\\dagger$",
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::sheet::{Part, sample_sheet};
    use super::*;

    #[test]
    fn table_is_set_with_rules_and_nothing_is_a_command() {
        let tables = sample_sheet().parts.into_iter().filter_map(|part| match part {
            Part::Table(table) => Some(table),
            _ => None,
        });
        assert_eq!(
            render(&tables.collect::<Vec<_>>()),
            "% needs \\usepackage{booktabs}\n\\begin{table}[htbp]\n\\centering\n\\caption{A table}\n\\begin{tabular}{lrr}\n\\toprule\n\
             variant & nodes & 95 \\% \\\\\n\\midrule\na\\textbar{}b $<$c$>$ & 1,234 & 0.500-0.750 \\\\\nbase & 2,000 & - \\\\\n\
             \\bottomrule\n\\end{tabular}\n\n\\smallskip\\footnotesize See `table.size`. -: compared with itself.\n\\end{table}\n"
        );
        assert_eq!(escape("\\input{x}_&\u{1b}†"), "\\textbackslash{}input\\{x\\}\\_\\& $\\dagger$");
    }
}

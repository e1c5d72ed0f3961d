//! Tables of a page for LaTeX, in the style of the package booktabs.

use super::sheet::SheetTable;
use std::fmt::Write;

/// Renders tables as LaTeX. The caption of a table is its title, and its notes stand below it.
pub fn render(tables: &[SheetTable]) -> String {
    let mut out = "% needs \\usepackage{booktabs,graphicx}\n".to_owned();
    for table in tables {
        let columns: String = table.columns.iter().map(|column| if column.is_text { 'l' } else { 'r' }).collect();
        let table_line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let heads = table_line(table.columns.iter().map(|column| escape(&column.name)).collect());
        let _ = write!(out, "\\begin{{table}}[htbp]\n\\centering\n");
        if !table.title.is_empty() {
            let _ = writeln!(out, "\\caption{{{}}}", escape(&table.title));
        }
        let _ = writeln!(out, "\\label{{tab:{}}}", table.key);
        out += "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n";
        let _ = write!(out, "\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heads}\\midrule\n");
        for row in &table.rows {
            out += &table_line(row.iter().map(|cell| escape(&cell.text)).collect());
        }
        out += "\\bottomrule\n\\end{tabular}}\n";
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
    use super::*;

    #[test]
    fn nothing_from_a_file_is_a_command() {
        assert_eq!(escape("\\input{x}_&\u{1b}†"), "\\textbackslash{}input\\{x\\}\\_\\& $\\dagger$");
    }
}

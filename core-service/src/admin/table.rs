//! Tables as text.

/// One row per line, in aligned columns; the last column is not padded.
pub(super) fn aligned<const N: usize>(rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.collect();
    let mut widths = [0; N];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let lines = rows.iter().map(|row| {
        let cells = row.iter().zip(widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        line.join("  ").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

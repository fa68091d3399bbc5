//! Tables as Markdown.

/// Rows below a header. Each row is also said at once on standard error, since a run takes long.
pub(crate) struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(header: &[&'static str]) -> Self {
        Self {
            header: header.to_vec(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn add(&mut self, row: Vec<String>) {
        eprintln!("{}", row.join("; "));
        self.rows.push(row);
    }

    /// A row that says why there are no figures.
    pub(crate) fn add_absent(&mut self, name: String, why: &str) {
        self.add(vec![name, format!("did not run: {why}")]);
    }

    pub(crate) fn print(&self) {
        if self.rows.is_empty() {
            return;
        }
        println!("\n| {} |", self.header.join(" | "));
        println!("|{}", "---|".repeat(self.header.len()));
        for row in &self.rows {
            let empty = self.header.len().saturating_sub(row.len());
            println!("| {} |{}", row.join(" | "), " |".repeat(empty));
        }
    }
}

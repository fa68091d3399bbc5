//! The tables of figures, and the machine that they are from.

use std::{fs, thread};

/// Figures as they come; each is also said at once on standard error, since a run takes minutes.
#[derive(Debug)]
pub(crate) struct Report {
    machine: String,
    figures: Table,
    others: Vec<Table>,
}

/// Rows below a header.
#[derive(Debug)]
pub(crate) struct Table {
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    pub(crate) fn new<const N: usize>(header: [&'static str; N]) -> Self {
        Self {
            header: header.into(),
            rows: Vec::new(),
        }
    }

    /// One more row, as wide as the header.
    pub(crate) fn add<const N: usize>(&mut self, row: [String; N]) {
        eprintln!("{}", row.join("; "));
        self.rows.push(row.into());
    }

    fn print(&self) {
        println!("| {} |", self.header.join(" | "));
        println!("|{}", "---|".repeat(self.header.len()));
        for row in &self.rows {
            println!("| {} |", row.join(" | "));
        }
    }
}

impl Report {
    /// An empty report for this machine.
    pub(crate) fn begin() -> Self {
        let cores = thread::available_parallelism().map_or(0, usize::from);
        let about = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = about.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == "model name").then(|| value.trim().to_owned())
        });
        let model = model.unwrap_or_else(|| "unknown processor".to_owned());
        Self {
            machine: format!("{cores} cores of {model}"),
            figures: Table::new(["measure", "engine", "figure", "compared"]),
            others: Vec::new(),
        }
    }

    /// One figure: what was measured, on which engine, what came out, and how that compares.
    pub(crate) fn add(&mut self, measure: &str, engine: &str, figure: String, compared: String) {
        let (measure, engine) = (measure.to_owned(), engine.to_owned());
        self.figures.add([measure, engine, figure, compared]);
    }

    /// Figures of another form.
    pub(crate) fn add_table(&mut self, table: Table) {
        self.others.push(table);
    }

    /// Prints the tables.
    pub(crate) fn print(&self) {
        println!("Measured on {}:", self.machine);
        let all = [&self.figures].into_iter().chain(&self.others);
        for table in all.filter(|table| !table.rows.is_empty()) {
            println!();
            table.print();
        }
    }
}

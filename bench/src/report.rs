//! The table of figures, and the machine that they are from.

use std::{fs, thread};

/// Figures as they come; each is also said at once on standard error, since a run takes minutes.
#[derive(Debug)]
pub(crate) struct Report {
    machine: String,
    rows: Vec<[String; 4]>,
}

impl Report {
    /// An empty table for this machine.
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
            rows: Vec::new(),
        }
    }

    /// One figure: what was measured, on which engine, what came out, and how that compares.
    pub(crate) fn add(&mut self, measure: &str, engine: &str, figure: String, compared: String) {
        eprintln!("{measure}, {engine}: {figure}; {compared}");
        self.rows
            .push([measure.to_owned(), engine.to_owned(), figure, compared]);
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        println!("Measured on {}:\n", self.machine);
        println!("| measure | engine | figure | compared |");
        println!("|---|---|---|---|");
        for row in &self.rows {
            println!("| {} |", row.join(" | "));
        }
    }
}

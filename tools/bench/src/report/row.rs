//! One row of the table.

use std::fmt::{self, Display, Formatter};

use super::Figure;

/// What was measured, what came out, beside what, and whether that is what it should be.
#[derive(Debug)]
pub(crate) struct Row {
    measure: String,
    engine: String,
    /// `None` if it cannot be measured here.
    figure: Option<Figure>,
    /// The figures beside it, as far as they are not missing here. The first is what aims in times mean.
    beside: Vec<Option<Figure>>,
    compared: Vec<String>,
    aim: Option<Aim>,
}

#[derive(Debug)]
struct Aim {
    is_upper: bool,
    limit: Limit,
}

#[derive(Debug)]
enum Limit {
    Figure(Figure),
    /// Of the figure beside it.
    Times(f64),
}

impl Row {
    /// A measure on an engine; no engine where it makes no difference, no figure if what is measured is missing here.
    pub(crate) fn new(
        measure: impl Into<String>,
        engine: &str,
        figure: impl Into<Option<Figure>>,
    ) -> Self {
        Self {
            measure: measure.into(),
            engine: engine.to_owned(),
            figure: figure.into(),
            beside: Vec::new(),
            compared: Vec::new(),
            aim: None,
        }
    }

    /// What else came out in the same run; nothing if it is missing here. What comes first is what aims in times mean.
    pub(crate) fn beside(mut self, what: &str, figure: impl Into<Option<Figure>>) -> Self {
        let figure = figure.into();
        let text = match (self.figure, figure) {
            (Some(own), Some(other)) if other.value > 0.0 => {
                format!("{what} {other} ({:.2} ×)", own.value / other.value)
            }
            (_, Some(other)) => format!("{what} {other}"),
            (_, None) => format!("{what} is missing"),
        };
        self.beside.push(figure);
        self.note(text)
    }

    /// More about it.
    pub(crate) fn note(mut self, text: impl Into<String>) -> Self {
        self.compared.push(text.into());
        self
    }

    pub(crate) fn at_most(self, figure: Figure) -> Self {
        self.aim(true, Limit::Figure(figure))
    }

    pub(crate) fn at_least(self, figure: Figure) -> Self {
        self.aim(false, Limit::Figure(figure))
    }

    /// At most so many times what stands beside it.
    pub(crate) fn at_most_times(self, times: f64) -> Self {
        self.aim(true, Limit::Times(times))
    }

    /// At least so many times what stands beside it.
    pub(crate) fn at_least_times(self, times: f64) -> Self {
        self.aim(false, Limit::Times(times))
    }

    fn aim(mut self, is_upper: bool, limit: Limit) -> Self {
        self.aim = Some(Aim { is_upper, limit });
        self
    }

    /// Whether it is what it should be; `None` if nothing says so.
    fn is_met(&self) -> Option<bool> {
        let (own, aim) = (self.figure?.value, self.aim.as_ref()?);
        let limit = match aim.limit {
            Limit::Figure(figure) => figure.value,
            Limit::Times(times) => self.beside.first().copied()??.value * times,
        };
        Some(if aim.is_upper {
            own <= limit
        } else {
            own >= limit
        })
    }
}

impl Display for Aim {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let side = if self.is_upper { "most" } else { "least" };
        match self.limit {
            Limit::Figure(figure) => write!(f, "at {side} {figure}"),
            Limit::Times(times) => write!(f, "at {side} {times} ×"),
        }
    }
}

impl Display for Row {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let figure = self.figure.as_ref().map(ToString::to_string);
        let aim = self.aim.as_ref().map(ToString::to_string);
        let met = match self.is_met() {
            Some(true) => "yes",
            Some(false) => "**no**",
            None => "",
        };
        write!(
            f,
            "| {} | {} | {} | {} | {} | {met} |",
            self.measure,
            self.engine,
            figure.as_deref().unwrap_or("missing"),
            self.compared.join("; "),
            aim.unwrap_or_default(),
        )
    }
}

//! The format of a log line: that of `tracing_subscriber`, at a fraction of its work. A line costs as much as the rest of a short answer.

use std::{
    cell::Cell,
    error::Error,
    fmt::{self, Debug, Write},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    registry::LookupSpan,
};

use super::LogFormat;

/// Formats lines. Those in a span, and coloured ones, are left to another format.
pub(super) struct Lines<F> {
    format: LogFormat,
    others: F,
}

impl<F> Lines<F> {
    pub(super) const fn new(format: LogFormat, others: F) -> Self {
        Self { format, others }
    }
}

impl<S, N, F> FormatEvent<S, N> for Lines<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        if writer.has_ansi_escapes() || context.event_scope().is_some() {
            return self.others.format_event(context, writer, event);
        }
        let (level, target) = (event.metadata().level(), event.metadata().target());
        // The writer takes its time for each piece.
        let mut line = String::with_capacity(LINE_BYTES);
        match self.format {
            LogFormat::Text => {
                push_time(&mut line);
                write!(line, " {level:>5} ")?;
                line.push_str(target);
                line.push(':');
            }
            LogFormat::Json => {
                line.push_str("{\"timestamp\":\"");
                push_time(&mut line);
                write!(line, "\",\"level\":\"{level}\"")?;
            }
        }
        let format = self.format;
        let mut fields = Fields { format, line };
        event.record(&mut fields);
        let Fields { mut line, .. } = fields;
        if format == LogFormat::Json {
            line.push_str(",\"target\":");
            push_quoted(&mut line, format, target);
            line.push('}');
        }
        line.push('\n');
        writer.write_str(&line)
    }
}

/// More than most lines have.
const LINE_BYTES: usize = 256;

/// Writes the fields of a line.
struct Fields {
    format: LogFormat,
    line: String,
}

impl Fields {
    fn begin(&mut self, field: &Field) {
        // A keyword as a field's name is written as a raw identifier.
        let name = field.name();
        let name = name.strip_prefix("r#").unwrap_or(name);
        match self.format {
            LogFormat::Text if name == MESSAGE => self.line.push(' '),
            LogFormat::Text => {
                self.line.push(' ');
                self.line.push_str(name);
                self.line.push('=');
            }
            LogFormat::Json => {
                self.line.push_str(",\"");
                self.line.push_str(name);
                self.line.push_str("\":");
            }
        }
    }

    fn add(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        self.begin(field);
        // Nothing fails that writes into memory, but a value may.
        let _incomplete = self.line.write_fmt(value);
    }
}

/// The field that has no name in a text.
const MESSAGE: &str = "message";

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.begin(field);
        if self.format == LogFormat::Text && field.name() == MESSAGE {
            push_bare(&mut self.line, value);
        } else {
            push_quoted(&mut self.line, self.format, value);
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.begin(field);
        self.line.push_str(itoa::Buffer::new().format(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, format_args!("{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, format_args!("{value}"));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if value.is_finite() || self.format == LogFormat::Text {
            self.add(field, format_args!("{value:?}"));
        } else {
            self.add(field, format_args!("null"));
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.record_debug(field, &format_args!("{value}"));
    }

    /// Also what is displayed.
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if self.format == LogFormat::Json {
            let mut text = String::new();
            let _incomplete = write!(text, "{value:?}");
            return self.record_str(field, &text);
        }
        self.begin(field);
        let start = self.line.len();
        let _incomplete = write!(self.line, "{value:?}");
        if self
            .line
            .get(start..)
            .is_some_and(|value| !is_harmless(value))
        {
            let value = self.line.split_off(start);
            push_bare(&mut self.line, &value);
        }
    }
}

/// Whether no character can begin a line or steer a terminal.
fn is_harmless(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Adds a text without quotes.
fn push_bare(line: &mut String, text: &str) {
    if is_harmless(text) {
        return line.push_str(text);
    }
    for one in text.chars() {
        if one.is_control() {
            line.extend(one.escape_default());
        } else {
            line.push(one);
        }
    }
}

fn push_quoted(line: &mut String, format: LogFormat, text: &str) {
    if is_harmless(text) && !text.contains(['"', '\\']) {
        line.push('"');
        line.push_str(text);
        return line.push('"');
    }
    let _infallible = match format {
        LogFormat::Text => write!(line, "{text:?}"),
        LogFormat::Json => write!(line, "{}", serde_json::Value::from(text)),
    };
}

/// The day and the second as text, which is the same for many lines.
type Date = [u8; 20];

#[expect(
    clippy::disallowed_methods,
    reason = "log lines have the machine's time, as all that is not decided by it"
)]
fn push_time(line: &mut String) {
    let time = SystemTime::now().duration_since(UNIX_EPOCH);
    push_instant(line, time.unwrap_or_default());
}

/// Adds that time after the beginning of 1970, in UTC.
fn push_instant(line: &mut String, time: Duration) {
    thread_local! {
        static LAST: Cell<(u64, Date)> = const { Cell::new((u64::MAX, [0; 20])) };
    }
    let (mut second, mut date) = LAST.get();
    if second != time.as_secs() {
        (second, date) = (time.as_secs(), date_of(time.as_secs()));
        LAST.set((second, date));
    }
    line.push_str(str::from_utf8(&date).unwrap_or_default());
    // Six digits, with zeros in front.
    let mut digits = itoa::Buffer::new();
    let micros = digits.format(1_000_000 + time.subsec_micros());
    line.push_str(micros.get(1..).unwrap_or_default());
    line.push('Z');
}

fn date_of(seconds: u64) -> Date {
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.");
    text.as_bytes().try_into().unwrap_or([b'?'; 20])
}

/// The date of a day, counted from the beginning of 1970. A year is taken to begin in March, so that a leap day is its last one.
const fn civil(days: u64) -> (u64, u64, u64) {
    /// Days from the beginning of March of the year 0 to 1970, and in 400 years.
    const BEFORE: u64 = 719_468;
    const ERA: u64 = 146_097;
    let days = days + BEFORE;
    let (era, day) = (days / ERA, days % ERA);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let march = (5 * day + 2) / 153;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = year + 400 * era + (month <= 2) as u64;
    (year, month, day - (153 * march + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::{format, format::JsonFields};

    use super::*;

    type Written = Arc<Mutex<Vec<u8>>>;

    /// What is written of these lines in a format, without the time.
    fn written(format: LogFormat, is_quick: bool, log: fn()) -> String {
        let written = Written::default();
        let into = Arc::clone(&written);
        let into = move || Into(Arc::clone(&into));
        let lines = tracing_subscriber::fmt().with_ansi(false).with_writer(into);
        let plain = || format::format().without_time();
        match (format, is_quick) {
            (LogFormat::Text, true) => {
                let lines = lines.event_format(Lines::new(format, format::format()));
                tracing::subscriber::with_default(lines.finish(), log);
            }
            (LogFormat::Text, false) => {
                tracing::subscriber::with_default(lines.event_format(plain()).finish(), log);
            }
            (LogFormat::Json, true) => {
                let others = format::format().json().flatten_event(true);
                let lines = lines.event_format(Lines::new(format, others));
                tracing::subscriber::with_default(lines.finish(), log);
            }
            (LogFormat::Json, false) => {
                let stock = plain().json().flatten_event(true);
                let lines = lines.fmt_fields(JsonFields::new()).event_format(stock);
                tracing::subscriber::with_default(lines.finish(), log);
            }
        }
        let bytes = written.lock().unwrap().clone();
        let text = String::from_utf8(bytes).unwrap();
        let without_time = |line: &str| match format {
            _ if !is_quick => line.to_owned(),
            LogFormat::Text => line["2026-11-23T11:40:05.824071Z ".len()..].to_owned(),
            LogFormat::Json => line.replacen(
                &line[1.."{\"timestamp\":\"2026-11-23T11:40:05.824071Z\",".len()],
                "",
                1,
            ),
        };
        text.lines()
            .map(without_time)
            .collect::<Vec<_>>()
            .join("\n")
    }

    struct Into(Written);

    impl std::io::Write for Into {
        fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(line)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn all_kinds_of_values() {
        let (nothing, error) = (None::<&str>, std::io::Error::other("no"));
        tracing::info!(target: "http", method = %"GET", route = "/a/{b}", status = Some(200_u16), bytes = 1_u64, "request");
        tracing::warn!(
            left = -1,
            share = 0.1,
            is_full = true,
            cause = nothing,
            "{} of {}",
            1,
            2
        );
        tracing::error!(error = &error as &dyn Error, r#type = ?Some("x"), text = "a \"b\" \\ \u{e9}\n", "failed");
    }

    #[test]
    fn lines_are_those_of_the_library() {
        for format in [LogFormat::Text, LogFormat::Json] {
            let [quick, stock] =
                [true, false].map(|is_quick| written(format, is_quick, all_kinds_of_values));
            assert_eq!(quick, stock);
            assert_eq!(quick.lines().count(), 3);
        }
    }

    #[test]
    fn nobody_begins_a_line_or_steers_a_terminal() {
        let log = || tracing::info!(a = %"x\n2026 \u{1b}[2J\u{9b}", "one\ntwo");
        let text = written(LogFormat::Text, true, log);
        assert!(!text.contains(char::is_control), "{text:?}");
    }

    #[test]
    fn the_time_is_that_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000007Z"),
            (951_782_399, "2000-02-28T23:59:59.000007Z"),
            (951_782_400, "2000-02-29T00:00:00.000007Z"),
            (1_795_434_005, "2026-11-23T11:40:05.000007Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000007Z"),
        ] {
            let mut line = String::new();
            push_instant(&mut line, Duration::new(seconds, 7_999));
            assert_eq!(line, text);
        }
    }
}

//! Reasons why a binary stops, with exit codes.

use std::{io::Write as _, process::ExitCode};

/// Why a binary could not start or had to stop. The text is for operators: one line per problem, no backtrace.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Invalid settings, one line for each problem. Exit code 64 (`EX_USAGE`).
    #[error("{}", .0.join("\n"))]
    Settings(Vec<String>),
    /// A problem of the environment: a port in use, a folder that is not writable, an unreachable database. Exit code 1.
    #[error("{0}")]
    Environment(String),
    /// A problem of the environment that may pass, for callers that then try again. Exit code 75 (`EX_TEMPFAIL`).
    #[error("{0}")]
    Temporary(String),
    /// A defect of Muster. Exit code 70 (`EX_SOFTWARE`).
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    /// One invalid setting.
    pub fn setting(problem: impl Into<String>) -> Self {
        Self::Settings(vec![problem.into()])
    }

    /// The exit code, as a number.
    pub const fn code(&self) -> u8 {
        match self {
            Self::Environment(_) => 1,
            Self::Settings(_) => 64,
            Self::Internal(_) => 70,
            Self::Temporary(_) => 75,
        }
    }

    /// Prints the failure, if any, to standard error and returns the exit code.
    pub fn report(result: Result<(), Self>) -> ExitCode {
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(failure) => {
                for line in failure.to_string().lines() {
                    // The exit code counts even where nobody can read the text.
                    let _ = writeln!(std::io::stderr(), "error: {line}");
                }
                ExitCode::from(failure.code())
            }
        }
    }
}

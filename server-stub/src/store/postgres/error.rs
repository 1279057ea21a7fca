//! Why a database cannot be used.

use std::error::Error as _;
use std::fmt;

use deadpool_postgres::{HookError, PoolError, TimeoutType};
use tokio_postgres::error::SqlState;

use crate::model::store_error::StoreError;

/// The earliest version of PostgreSQL that the tables work on.
pub(super) const EARLIEST_SERVER: i32 = 16;

/// Why a PostgreSQL database cannot be opened. The message says what is wrong and then what to do. It never contains
/// the password.
#[derive(Debug, thiserror::Error)]
pub enum PostgresError {
    /// The URL has another form.
    #[error(
        "the URL of the store is not valid; write postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters \
         percent-encoded and settings after a `?`, such as ?sslmode=require"
    )]
    InvalidUrl,
    /// The authorities to trust are not PEM certificates.
    #[error(
        "the authority of the store is not a PEM certificate ({0}); give a file that begins with `-----BEGIN CERTIFICATE-----`"
    )]
    InvalidAuthority(String),
    /// Nothing answers there.
    #[error("cannot reach {place} ({reason}); check that PostgreSQL runs there and accepts connections")]
    Unreachable {
        /// The database.
        place: String,
        /// What the system reports.
        reason: String,
    },
    /// No TLS connection could be made.
    #[error(
        "cannot connect to {place} with TLS ({reason}); trust the authority of its certificate, \
         or connect without TLS with ?sslmode=disable"
    )]
    Tls {
        /// The database.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// The user or the password is wrong, or the server does not let this user in from here.
    #[error("{place} rejects the login ({reason}); check the user and the password in the URL, and pg_hba.conf")]
    Login {
        /// The database.
        place: String,
        /// What the server reports.
        reason: String,
    },
    /// The server has no database of this name.
    #[error("there is no {place}; create it with CREATE DATABASE, or use another one")]
    NoDatabase {
        /// The database.
        place: String,
    },
    /// The server is too old.
    #[error("{place} is PostgreSQL {found}; the server needs {EARLIEST_SERVER} or later")]
    OldServer {
        /// The database.
        place: String,
        /// Its version.
        found: String,
    },
    /// It cannot hold every text.
    #[error("{place} has the encoding {found}; create one with ENCODING 'UTF8'")]
    Encoding {
        /// The database.
        place: String,
        /// Its encoding.
        found: String,
    },
    /// The user may not do what is needed.
    #[error(
        "the user lacks a privilege on {place} ({reason}); let the user own the database, \
         or GRANT CREATE, USAGE ON SCHEMA to it"
    )]
    Privilege {
        /// The database.
        place: String,
        /// What the server reports.
        reason: String,
    },
    /// The database is one that cannot be changed, such as a replica.
    #[error("{place} is read-only ({reason}); use the primary server")]
    ReadOnly {
        /// The database.
        place: String,
        /// What the server reports.
        reason: String,
    },
    /// The extension for vectors is missing, and cannot be added.
    #[error(
        "{place} has no pgvector ({reason}); install it and run CREATE EXTENSION vector as a superuser, \
         or search in memory"
    )]
    NoVector {
        /// The database.
        place: String,
        /// What the server reports.
        reason: String,
    },
    /// The schema holds tables of another program.
    #[error(
        "schema {schema} of {place} holds tables of another program; use an empty database, or an empty schema \
         with ?options=-csearch_path%3DNAME"
    )]
    Foreign {
        /// The database.
        place: String,
        /// The schema.
        schema: String,
    },
    /// The search path names no schema that exists.
    #[error("the search path of {place} names no schema that exists; create one with CREATE SCHEMA")]
    NoSchema {
        /// The database.
        place: String,
    },
    /// A later version of the server has migrated the tables.
    #[error(
        "{place} has format {found}, which this version of the server does not know; use the version that wrote it"
    )]
    LaterFormat {
        /// The database.
        place: String,
        /// Its format.
        found: i32,
    },
    /// It was created with another data set, whose records its items refer to.
    #[error("{place} was created with other data; start with that data, or use another database or schema")]
    OtherData {
        /// The database.
        place: String,
    },
    /// The database reports another error.
    #[error("{place} reports an error ({reason}); its log may say more")]
    Failed {
        /// The database.
        place: String,
        /// The error.
        reason: String,
    },
}

impl PostgresError {
    /// Why no connection could be made.
    pub(super) fn of_pool(place: &str, error: &PoolError) -> Self {
        let place = place.to_owned();
        match error {
            PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => Self::of(&place, error),
            PoolError::Timeout(_) => Self::Unreachable {
                place,
                reason: "it does not answer in time".to_owned(),
            },
            error => Self::Failed {
                place,
                reason: error.to_string(),
            },
        }
    }

    /// What an error of the database means.
    pub(super) fn of(place: &str, error: &tokio_postgres::Error) -> Self {
        let place = place.to_owned();
        let reason = Reason(error).to_string();
        match error.code() {
            Some(code) => match *code {
                SqlState::INVALID_PASSWORD | SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
                    Self::Login { place, reason }
                }
                SqlState::INVALID_CATALOG_NAME => Self::NoDatabase { place },
                SqlState::INSUFFICIENT_PRIVILEGE => Self::Privilege { place, reason },
                SqlState::READ_ONLY_SQL_TRANSACTION => Self::ReadOnly { place, reason },
                _ if is_outage(code) => Self::Unreachable { place, reason },
                _ => Self::Failed { place, reason },
            },
            // The kinds of these errors have no other sign.
            None => match error.to_string().as_str() {
                "error performing TLS handshake" => Self::Tls { place, reason },
                "authentication error" | "invalid configuration" => Self::Login { place, reason },
                "error connecting to server"
                | "error communicating with the server"
                | "connection closed"
                | "timeout waiting for server" => Self::Unreachable { place, reason },
                _ => Self::Failed { place, reason },
            },
        }
    }
}

/// The conditions that pass: the server is restarted, overloaded or out of reach, or takes too long.
fn is_outage(code: &SqlState) -> bool {
    let passing = [
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::TOO_MANY_CONNECTIONS,
        SqlState::QUERY_CANCELED,
        SqlState::LOCK_NOT_AVAILABLE,
        SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT,
        SqlState::READ_ONLY_SQL_TRANSACTION,
    ];
    passing.contains(code) || code.code().starts_with("08")
}

/// An error of the driver in one line: what the server reports, or the whole chain of causes.
struct Reason<'a>(&'a tokio_postgres::Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reported) = self.0.as_db_error() {
            return f.write_str(reported.message());
        }
        write!(f, "{}", self.0)?;
        let mut source = self.0.source();
        let mut last = self.0.to_string();
        while let Some(cause) = source {
            let text = cause.to_string();
            // Wrappers repeat what they wrap.
            if text != last {
                write!(f, ": {text}")?;
            }
            (last, source) = (text, cause.source());
        }
        Ok(())
    }
}

/// A failure while the server runs, in one line for the log.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Failure(String);

/// An error of the database as the error of a store.
pub(super) fn failed(error: tokio_postgres::Error) -> StoreError {
    let is_out_of_reach = match error.code() {
        Some(code) => is_outage(code),
        None => {
            let text = error.to_string();
            error.is_closed()
                || ["error connecting", "error communicating", "timeout"]
                    .iter()
                    .any(|it| text.starts_with(it))
        }
    };
    let failure = Box::new(Failure(Reason(&error).to_string()));
    if is_out_of_reach {
        StoreError::Unavailable(failure)
    } else {
        StoreError::Storage(failure)
    }
}

/// A pool that has no connection to give.
pub(super) fn no_connection(error: PoolError) -> StoreError {
    match error {
        PoolError::Backend(error) | PoolError::PostCreateHook(HookError::Backend(error)) => {
            let reason = Reason(&error).to_string();
            StoreError::Unavailable(Box::new(Failure(reason)))
        }
        PoolError::Timeout(TimeoutType::Wait) => StoreError::Busy,
        error => StoreError::Unavailable(Box::new(Failure(error.to_string()))),
    }
}

/// A row that another program or a later version wrote.
pub(super) fn unreadable(error: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    StoreError::Storage(error)
}

//! The options of a database that keeps the state.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use platform_server_stub::store::PostgresSettings;

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "State in PostgreSQL")]
pub(crate) struct StoreArguments {
    /// Keep items and their work in the PostgreSQL database at this URL: postgres://USER:PASSWORD@HOST:PORT/DATABASE.
    /// Any number of servers with the same data may share one. Other users of the machine can read arguments, so set a
    /// URL with a password in the environment.
    #[arg(
        long,
        env = "PLATFORM_STUB_STORE",
        hide_env_values = true,
        value_name = "URL",
        conflicts_with = "state"
    )]
    store: Option<StoreUrl>,

    /// Trust the authorities in this PEM file, instead of those of the system, when the database is reached over TLS.
    #[arg(long, env = "PLATFORM_STUB_STORE_CA", value_name = "FILE", requires = "store")]
    store_ca: Option<PathBuf>,

    /// Maximum number of connections to the database. A request waits up to 5 seconds for one.
    #[arg(
        long,
        env = "PLATFORM_STUB_STORE_CONNECTIONS",
        value_name = "COUNT",
        default_value_t = 8,
        value_parser = clap::value_parser!(u16).range(1..=1000)
    )]
    store_connections: u16,

    /// Where searches run: in the memory of this server, or in the database, which then needs pgvector. Results are the
    /// same.
    #[arg(
        long,
        env = "PLATFORM_STUB_STORE_SEARCH",
        value_name = "WHERE",
        default_value = "memory"
    )]
    store_search: SearchIn,
}

/// Where searches run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SearchIn {
    Memory,
    Database,
}

/// The URL as it was given, which is never printed because of its password.
#[derive(Clone)]
struct StoreUrl(String);

impl FromStr for StoreUrl {
    type Err = std::convert::Infallible;

    /// Takes any text: an error of an argument quotes it.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Debug for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreUrl(..)")
    }
}

impl StoreArguments {
    /// The database; `None` if the state is elsewhere.
    pub(crate) fn settings(&self) -> Result<Option<PostgresSettings>, String> {
        let Some(StoreUrl(url)) = &self.store else {
            return Ok(None);
        };
        let settings: PostgresSettings = url.parse().map_err(|error| format!("{error}"))?;
        let mut settings = settings.with_connections(self.store_connections.into());
        if self.store_search == SearchIn::Database {
            settings = settings.with_searches();
        }
        Ok(Some(match &self.store_ca {
            None => settings,
            Some(file) => {
                let pem = fs::read(file).map_err(|error| {
                    let file = file.display();
                    format!("cannot read {file}: {error}; give --store-ca a PEM file")
                })?;
                settings.with_authority(pem)
            }
        }))
    }
}

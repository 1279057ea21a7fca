//! Which database to use, and how to connect to it.

use std::fmt;
use std::str::FromStr;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::error::PostgresError;

/// How many connections a server opens at most, unless set.
const CONNECTIONS: usize = 8;

/// A PostgreSQL database, and how a ledger connects to it. Neither `Debug` nor an error shows the password.
///
/// The URL is one of libpq: `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, with special characters percent-encoded, and
/// settings such as `?sslmode=require` or `?options=-csearch_path%3Dstub`. Tables are in the first schema of the search
/// path.
///
/// ```
/// use platform_server_stub::store::PostgresSettings;
///
/// let settings: PostgresSettings = "postgres://stub:secret@db.example/platform?sslmode=require".parse()?;
/// assert_eq!(settings.to_string(), "database platform at db.example:5432");
/// assert!(!format!("{settings:?}").contains("secret"));
/// let settings = settings.with_connections(4);
/// # Ok::<_, platform_server_stub::store::PostgresError>(())
/// ```
#[derive(Clone)]
pub struct PostgresSettings {
    pub(super) config: Config,
    pub(super) authority: Option<Vec<u8>>,
    pub(super) connections: usize,
    searches: bool,
}

impl PostgresSettings {
    /// Sets how many connections to the database are open at most, 8 unless set; at least one. Callers beyond them wait
    /// for a connection for 5 seconds.
    #[must_use]
    pub fn with_connections(mut self, connections: usize) -> Self {
        self.connections = connections.max(1);
        self
    }

    /// Trusts the certificates that these authorities issue, as PEM, instead of those that the system trusts.
    #[must_use]
    pub fn with_authority(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.authority = Some(pem.into());
        self
    }

    /// Lets the database carry out searches, with pgvector, instead of searching in memory. Results are the same to the
    /// last bit; a search takes several times as long.
    #[must_use]
    pub fn with_searches(mut self) -> Self {
        self.searches = true;
        self
    }

    /// Whether the database carries out searches.
    pub(crate) fn has_searches(&self) -> bool {
        self.searches
    }

    /// The name of the database: the one of the URL, or else that of its user.
    pub(super) fn database(&self) -> &str {
        let named = self.config.get_dbname().or_else(|| self.config.get_user());
        named.unwrap_or("of the current user")
    }
}

impl FromStr for PostgresSettings {
    type Err = PostgresError;

    fn from_str(url: &str) -> Result<Self, PostgresError> {
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| url.starts_with(scheme))
        {
            return Err(PostgresError::InvalidUrl);
        }
        // The certificate is always verified, so these are the same here.
        let url = url
            .replace("sslmode=verify-full", "sslmode=require")
            .replace("sslmode=verify-ca", "sslmode=require");
        // The reason could quote a part of the password.
        let config: Config = url.parse().map_err(|_| PostgresError::InvalidUrl)?;
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            return Err(PostgresError::InvalidUrl);
        }
        Ok(Self {
            config,
            authority: None,
            connections: CONNECTIONS,
            searches: false,
        })
    }
}

impl fmt::Display for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "database {} at ", self.database())?;
        let ports = self.config.get_ports();
        let port = |place: usize| ports.get(place).or(ports.first()).copied().unwrap_or(5432);
        for (place, host) in self.config.get_hosts().iter().enumerate() {
            let separator = if place == 0 { "" } else { ", " };
            match host {
                Host::Tcp(name) => write!(f, "{separator}{name}:{}", port(place))?,
                #[cfg(unix)]
                Host::Unix(folder) => write!(f, "{separator}{}", folder.display())?,
            }
        }
        if self.config.get_hosts().is_empty() {
            let addresses = self.config.get_hostaddrs().iter();
            let addresses: Vec<_> = addresses.map(ToString::to_string).collect();
            f.write_str(&addresses.join(", "))?;
        }
        Ok(())
    }
}

impl fmt::Debug for PostgresSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.to_string();
        f.debug_tuple("PostgresSettings").field(&place).finish()
    }
}

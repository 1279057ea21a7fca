//! The options of the controls.

use platform_server_stub::control::AdminAccess;

#[derive(Debug, clap::Args)]
pub(crate) struct AdminArguments {
    /// Serve controls for tests under /__admin: reset, time, faults, recorded requests. They need no key, so the server
    /// must listen on this machine only.
    #[arg(long, env = "PLATFORM_STUB_ADMIN")]
    admin: bool,

    /// Allow /__admin on public addresses: anyone who can connect controls the server.
    #[arg(long, env = "PLATFORM_STUB_ADMIN_PUBLIC")]
    admin_public: bool,
}

impl AdminArguments {
    /// Where the controls may be used from; `None` if they are not served.
    ///
    /// # Errors
    /// Public access is requested without the controls.
    pub(crate) fn access(&self) -> Result<Option<AdminAccess>, &'static str> {
        match (self.admin, self.admin_public) {
            (false, false) => Ok(None),
            (true, false) => Ok(Some(AdminAccess::Loopback)),
            (true, true) => Ok(Some(AdminAccess::Public)),
            (false, true) => Err("--admin-public is for /__admin; add --admin, or leave out --admin-public"),
        }
    }
}

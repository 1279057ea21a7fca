//! The options of the controls.

use platform_server_stub::control::AdminAccess;

#[derive(Debug, clap::Args)]
pub(crate) struct AdminArguments {
    /// Serves controls for tests under /__admin: reset, time, faults, recorded requests. They need no key, so the
    /// server must listen on this machine alone.
    #[arg(long, env = "PLATFORM_STUB_ADMIN")]
    admin: bool,

    /// Serves /__admin to everyone who can connect, too.
    #[arg(long, env = "PLATFORM_STUB_ADMIN_PUBLIC")]
    admin_public: bool,
}

impl AdminArguments {
    /// From where the controls may be used; `None` if they are not served.
    ///
    /// # Errors
    /// When public access is asked for, and the controls are not.
    pub(crate) fn access(&self) -> Result<Option<AdminAccess>, &'static str> {
        match (self.admin, self.admin_public) {
            (false, false) => Ok(None),
            (true, false) => Ok(Some(AdminAccess::Loopback)),
            (true, true) => Ok(Some(AdminAccess::Public)),
            (false, true) => Err("--admin-public is for the controls under /__admin; add --admin, or leave it out"),
        }
    }
}

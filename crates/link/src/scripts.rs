//! Lua scripts, which Redis runs atomically.

use redis::Script;

/// The scripts of all modules.
pub(crate) struct Scripts {
    pub(crate) renew: Script,
    pub(crate) take_over: Script,
    pub(crate) let_go: Script,
    pub(crate) settle: Script,
    pub(crate) rate: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            renew: Script::new(include_str!("registry/renew.lua")),
            take_over: Script::new(include_str!("registry/take_over.lua")),
            let_go: Script::new(include_str!("registry/let_go.lua")),
            settle: Script::new(include_str!("registry/settle.lua")),
            rate: Script::new(include_str!("rate.lua")),
        }
    }
}

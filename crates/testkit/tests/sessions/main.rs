//! What goes on in sessions: their events, conversations and runs, over HTTP. One file for each concern.

mod events;

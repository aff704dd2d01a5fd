//! What holds for the public types as such.

use mcp_transport::{
    Changes, ConnectOptions, Connection, Dialer, Endpoint, Error, Handler, HttpOptions, Listing, StdioOptions, Tool,
};

fn shared<T: Send + Sync + 'static>() {}

#[test]
fn everything_may_cross_threads() {
    shared::<Connection>();
    shared::<Changes>();
    shared::<Dialer>();
    shared::<Error>();
    shared::<(ConnectOptions, Endpoint, StdioOptions, HttpOptions)>();
    shared::<Listing<Tool>>();
    shared::<Box<dyn Handler>>();
}

#[test]
fn futures_may_cross_threads() {
    fn sends<T: Send>(_: impl FnOnce(Connection) -> T) {}
    sends(|connection| async move { connection.call_tool("t", None).await });
    sends(|connection| async move { connection.list_tools().await });
    sends(|connection| async move { connection.shutdown().await });
}

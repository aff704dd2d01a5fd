//! A network that counts what passes, and breaks when a test says so.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// Passes bytes to a server on this machine and back. Dropping it closes its port and cuts its connections.
#[derive(Debug)]
pub struct TcpProxy {
    address: SocketAddr,
    cuts: watch::Sender<usize>,
    counts: Arc<Vec<(String, AtomicUsize)>>,
    accepting: JoinHandle<()>,
}

impl TcpProxy {
    /// A proxy on a free port to `target`, which counts the requests that hold one of `needles`.
    ///
    /// # Errors
    ///
    /// If no port is free.
    pub async fn start(target: SocketAddr, needles: &[&str]) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let counts = needles.iter().map(|needle| ((*needle).to_owned(), AtomicUsize::new(0))).collect();
        let (cuts, counts) = (watch::Sender::new(0), Arc::new(counts));
        let accepting = tokio::spawn(accept(listener, target, cuts.clone(), Arc::clone(&counts)));
        Ok(Self { address, cuts, counts, accepting })
    }

    /// Where clients connect to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Breaks every connection there is. New ones pass.
    pub fn cut(&self) {
        self.cuts.send_modify(|cuts| *cuts += 1);
    }

    /// How many requests held `needle`, one of those given at the start.
    pub fn seen(&self, needle: &str) -> usize {
        let count = self.counts.iter().find(|(name, _)| name == needle);
        count.map_or(0, |(_, count)| count.load(Ordering::Relaxed))
    }
}

impl Drop for TcpProxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

type Counts = Arc<Vec<(String, AtomicUsize)>>;

async fn accept(listener: TcpListener, target: SocketAddr, cuts: watch::Sender<usize>, counts: Counts) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let (mut cut, counts) = (cuts.subscribe(), counts.clone());
        connections.spawn(async move {
            tokio::select! {
                _cut = cut.changed() => {}
                // How a connection ends is what the test is about.
                _ended = pass(client, target, &counts) => {}
            }
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn pass(client: TcpStream, target: SocketAddr, counts: &[(String, AtomicUsize)]) -> std::io::Result<()> {
    let server = TcpStream::connect(target).await?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    tokio::try_join!(copy(from_client, to_server, counts), copy(from_server, to_client, &[]))?;
    Ok(())
}

async fn copy(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    counts: &[(String, AtomicUsize)],
) -> std::io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = from.read(&mut buffer).await?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { return to.shutdown().await };
        for (needle, count) in counts {
            if bytes.windows(needle.len()).any(|window| window == needle.as_bytes()) {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
        to.write_all(bytes).await?;
    }
}

//! Request latency while thousands of connections are open and idle, or never finish their request.

use super::start::Program;
use super::{BUILT_IN_STATUS, Client, Outcome, latencies, memory_kb};

const IDLE: usize = 10_000;
const HALF_SENT: usize = 1_000;

/// Measures the latency of a status request alone and beside the crowd, and the server memory of one connection.
pub(super) async fn beside_a_crowd() -> Outcome<()> {
    println!("status of an item beside {IDLE} idle and {HALF_SENT} half-sent connections");
    let program = Program::start(&[
        "--max-connections",
        "20000",
        "--idle-timeout",
        "1h",
        "--header-timeout",
        "1h",
    ])
    .await?;
    let alone = latencies(program.address, BUILT_IN_STATUS).await?;
    println!("  alone                     {alone}");
    let before = memory_kb(&program.id()?, "VmRSS:")?;
    let mut crowd = Vec::new();
    for number in 0..IDLE + HALF_SENT {
        let client = Client::connect(program.address).await;
        let Ok(mut client) = client else {
            println!("  not measured, since only {number} connections could be opened");
            println!("  raise the limit of open files: ulimit -n 12000");
            return Ok(());
        };
        if number >= IDLE {
            client.send("GET /openapi.json HTTP/1.1\r\nHost: x\r\n").await?;
        }
        crowd.push(client);
    }
    // The server accepts it after all the others.
    Client::connect(program.address).await?.get(BUILT_IN_STATUS).await?;
    let fresh = memory_kb(&program.id()?, "VmRSS:")? - before;
    println!("  memory of a connection    {:.1} kB", fresh / crowd.len() as f64);
    let beside = latencies(program.address, BUILT_IN_STATUS).await?;
    println!("  beside them               {beside}");
    println!(
        "  ratio                     p50 {:.2}, p99 {:.2}",
        beside.p50 / alone.p50,
        beside.p99 / alone.p99
    );
    Ok(())
}

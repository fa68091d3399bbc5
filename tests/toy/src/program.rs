//! An HTTP program in front of core, as a process of its own.

use std::{
    fs,
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, ExitStatus, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{Pid, PidfdFlags, PidfdGetfdFlags, Signal, kill_process, pidfd_getfd, pidfd_open},
};

/// Far more than any program takes to start.
const TIMEOUT: Duration = Duration::from_secs(30);

/// How often it is seen whether it listens.
const POLL: Duration = Duration::from_millis(10);

/// A program and a connection to it over which it has answered a request. Killed when dropped.
#[derive(Debug)]
pub struct Program {
    process: Running,
    connection: TcpStream,
}

#[derive(Debug)]
struct Running(Child);

impl Program {
    /// Starts it on a free port, and asks whether it is alive.
    pub fn start(command: &mut Command) -> Self {
        Self::start_at(free_port(), command)
    }

    /// Starts it at that address, and asks whether it is alive.
    pub fn start_at(address: SocketAddr, command: &mut Command) -> Self {
        let command = command.args(["--http-addr", &address.to_string()]);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        let process = Running(command.spawn().expect("the program starts"));
        let mut connection = connect(address);
        let request = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        connection.write_all(request).expect("it reads");
        let mut answer = [0; 12];
        connection.read_exact(&mut answer).expect("it answers");
        assert_eq!(&answer, b"HTTP/1.1 200");
        Self {
            process,
            connection,
        }
    }

    /// Asks it to stop, as an orchestrator does.
    pub fn terminate(&self) {
        let pid = Pid::from_child(&self.process.0);
        kill_process(pid, Signal::TERM).expect("it runs");
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.process.0.try_wait().expect("it is a child")
    }

    /// Whether its side of the connection sends small messages at once (`TCP_NODELAY`). Only its own socket knows.
    pub fn sends_at_once(&self) -> bool {
        let ours = self.connection.local_addr().expect("it is connected");
        let pid = Pid::from_child(&self.process.0);
        let process = pidfd_open(pid, PidfdFlags::empty()).expect("it runs");
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).expect("it runs");
        for descriptor in descriptors {
            let name = descriptor.expect("it runs").file_name();
            let number = name.to_str().and_then(|name| name.parse().ok());
            let number = number.expect("descriptors are numbers");
            let socket = match pidfd_getfd(&process, number, PidfdGetfdFlags::empty()) {
                Ok(copy) => TcpStream::from(copy),
                // Closed in the meantime.
                Err(Errno::BADF) => continue,
                Err(error) => panic!("cannot copy a descriptor of a child: {error}"),
            };
            if socket.peer_addr().is_ok_and(|peer| peer == ours) {
                return socket.nodelay().expect("it is a socket");
            }
        }
        panic!("the program has no such connection")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ended = self.0.kill();
        let _ended = self.0.wait();
    }
}

/// An address where nothing listens.
pub fn free_port() -> SocketAddr {
    let port = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
    port.local_addr().expect("it is bound")
}

fn connect(address: SocketAddr) -> TcpStream {
    let start = Instant::now();
    loop {
        match TcpStream::connect(address) {
            Ok(connection) => return connection,
            Err(error) => assert!(start.elapsed() < TIMEOUT, "{address}: {error}"),
        }
        sleep(POLL);
    }
}

use server::tcp::{accept, connect};
use tokio::net::TcpListener;

#[tokio::test]
async fn sockets_of_both_sides_send_small_messages_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let opened = connect(listener.local_addr().unwrap()).await.unwrap();
    let (accepted, peer) = accept(&listener).await;
    assert!(opened.nodelay().unwrap() && accepted.nodelay().unwrap());
    assert_eq!(opened.local_addr().unwrap(), peer);
}

#[tokio::test]
async fn an_address_where_nothing_listens_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let refused = connect(address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}

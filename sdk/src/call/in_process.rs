//! A service in the same process instead of the network, for tests without a socket.

use std::error::Error as StdError;
use std::fmt::{self, Display};
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyDataStream;
use reqwest::{Body, Request, Response};

use crate::error::{Error, Kind};

type BoxError = Box<dyn StdError + Send + Sync>;
type Answered = Pin<Box<dyn Future<Output = Result<http::Response<Body>, BoxError>> + Send>>;

/// Any service, as a function.
#[derive(Clone)]
pub(crate) struct Service(Arc<dyn Fn(http::Request<Body>) -> Answered + Send + Sync>);

impl Service {
    pub(crate) fn new<S, B>(service: S) -> Self
    where
        S: tower_service::Service<http::Request<Body>, Response = http::Response<B>> + Clone + Send + Sync + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(Arc::new(move |request| {
            let mut service = service.clone();
            Box::pin(async move {
                std::future::poll_fn(|context| service.poll_ready(context))
                    .await
                    .map_err(Into::into)?;
                let answer = service.call(request).await.map_err(Into::into)?;
                // A stream, because axum's bodies can be sent to another thread but not shared.
                Ok(answer.map(|body| Body::wrap_stream(BodyDataStream::new(body))))
            })
        }))
    }

    pub(crate) async fn call(&self, request: Request) -> Result<Response, Error> {
        let request = http::Request::try_from(request)
            .map_err(|error| Error::new(Kind::Argument("the request cannot be built".to_owned())).with_source(error))?;
        let answer = (self.0)(request).await;
        answer
            .map(Response::from)
            .map_err(|error| Error::new(Kind::Broken).with_source(Failed(error)))
    }
}

/// The error of a service.
#[derive(Debug)]
struct Failed(BoxError);

impl Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Failed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

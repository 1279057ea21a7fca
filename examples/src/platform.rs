//! The platform that an example talks to.

use std::future::pending;
use std::sync::Arc;

use platform_sdk::{Client, ClientBuilder, PipelineId};
use platform_server_stub::Server;
use platform_server_stub::data::{Data, Dataset, StatedItem};
use platform_server_stub::model::ids::{OrganizationId, PersonId, PipelineItemId};
use platform_server_stub::model::pipeline::EntityType;
use platform_server_stub::platform::clock::SystemClock;
use tokio::net::TcpListener;

use crate::{Outcome, Pipeline};

/// The key of the reference server that is allowed everything.
const LOCAL_KEY: &str = "dev-full-access";

/// A deployment, or the reference server in this process.
pub struct Platform {
    /// The client for all calls.
    pub client: Client,
    is_local: bool,
}

impl Platform {
    /// Connects to the deployment that `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name. Without them, starts the
    /// reference server with its built-in data on a free port. It runs until the process ends.
    ///
    /// # Errors
    /// A variable is missing or invalid, or no port is free.
    pub async fn connect() -> Outcome<Self> {
        Self::connect_with(Server::built_in, |builder| builder).await
    }

    /// Connects like [`connect`](Self::connect), with this local server and these options of the client.
    ///
    /// # Errors
    /// Same as for [`connect`](Self::connect).
    pub async fn connect_with(
        server: impl FnOnce() -> Server,
        options: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Outcome<Self> {
        if std::env::var_os("PLATFORM_BASE_URL").is_some() {
            return Ok(Self {
                client: options(ClientBuilder::from_env()?).build()?,
                is_local: false,
            });
        }
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        tokio::spawn(server().serve(listener, pending()));
        let builder = Client::builder().base_url(base_url).api_key(LOCAL_KEY);
        Ok(Self {
            client: options(builder).build()?,
            is_local: true,
        })
    }

    /// Returns whether it is the reference server in this process.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Returns the name of the platform for people.
    pub fn name(&self) -> &str {
        match self.is_local {
            true => "the reference server in this process",
            false => self.client.base_url(),
        }
    }

    /// Returns the pipelines to use: the one that `PLATFORM_PIPELINE` names, or all that can be found.
    ///
    /// # Errors
    /// There is none, or the platform does not respond.
    pub async fn pipelines(&self) -> Outcome<Vec<Pipeline>> {
        let found = match Self::named_pipeline()? {
            Some(pipeline) => vec![Pipeline::read(&self.client, pipeline.get()).await?],
            None => Pipeline::find_all(&self.client).await?,
        };
        match found.is_empty() {
            true => Err("no pipeline with an id from 1 to 20 has items that this key may read; \
                 set PLATFORM_PIPELINE to the id of one"
                .into()),
            false => Ok(found),
        }
    }

    /// Returns the pipeline that `PLATFORM_PIPELINE` names.
    ///
    /// # Errors
    /// The variable is not an id.
    pub fn named_pipeline() -> Outcome<Option<PipelineId>> {
        Ok(id("PLATFORM_PIPELINE")?.map(PipelineId::from))
    }

    /// Returns the pipeline to add organizations to. Added items cannot be removed, so on a deployment it is only
    /// the one that `PLATFORM_ADD_TO` names; otherwise there is none. On the reference server in this process it is
    /// the organization pipeline with the fewest items.
    ///
    /// # Errors
    /// `PLATFORM_ADD_TO` is not an id, or its pipeline cannot be read or does not hold organizations.
    pub async fn pipeline_to_add_to(&self) -> Outcome<Option<Pipeline>> {
        if let Some(pipeline) = id("PLATFORM_ADD_TO")? {
            let pipeline = Pipeline::read(&self.client, pipeline).await?;
            return match pipeline.holds_organizations() {
                true => Ok(Some(pipeline)),
                false => Err(format!(
                    "pipeline {} does not hold organizations; set PLATFORM_ADD_TO to the id of one that does",
                    pipeline.id
                )
                .into()),
            };
        }
        if !self.is_local {
            return Ok(None);
        }
        let mut pipelines = Pipeline::find_all(&self.client).await?;
        pipelines.retain(Pipeline::holds_organizations);
        Ok(pipelines.into_iter().min_by_key(|it| it.total_count))
    }
}

/// Reads the id of a pipeline from an environment variable.
fn id(variable: &str) -> Outcome<Option<i64>> {
    let Ok(text) = std::env::var(variable) else {
        return Ok(None);
    };
    match text.parse() {
        Ok(id) => Ok(Some(id)),
        Err(_) => Err(format!("{variable} must be the id of a pipeline, such as 6").into()),
    }
}

/// A reference server with one large pipeline: this many persons who work at the organizations of the built-in data.
pub fn crowded_server(items: u32) -> Server {
    let mut data = Data::built_in();
    data.products.clear();
    data.pipelines.sort_by_key(|pipeline| pipeline.items.len());
    data.pipelines.drain(..data.pipelines.len().saturating_sub(1));
    let organizations: Vec<_> = data.organizations.iter().map(|it| it.organization_id).collect();
    for pipeline in &mut data.pipelines {
        pipeline.entity_type = EntityType::Person;
        let persons = (1..=i64::from(items)).zip(organizations.iter().cycle());
        pipeline.items = persons
            .filter_map(|(id, organization)| person(id, *organization))
            .collect();
    }
    match Dataset::new(data) {
        Ok(data) => Server::new(platform_server_stub::platform::Platform::in_memory(
            Arc::new(data),
            Arc::new(SystemClock),
        )),
        Err(error) => panic!("the built-in data with other items: {error}"),
    }
}

fn person(id: i64, organization: OrganizationId) -> Option<StatedItem> {
    Some(StatedItem {
        pipeline_item_id: PipelineItemId::new(id).ok()?,
        organization_id: Some(organization),
        person_id: PersonId::new(id).ok(),
        document_id: None,
        document_indexed: true,
        platform_entity_data_ready: true,
        values: Default::default(),
        work: Vec::new(),
    })
}

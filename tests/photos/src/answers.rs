//! What the providers answer, as their documentation shows it.

use serde_json::{Value, json};

use super::Server;

/// The id of the work that [`openverse_work`] shows in examples.
pub const WORK: &str = "4bc43a04-ef46-4544-a0c1-63c63f56e276";

/// One work of Openverse, under the given id.
pub fn openverse_work(server: &Server, id: &str) -> Value {
    json!({
        "id": id,
        "title": "Tree Bark Photo",
        "indexed_on": "2022-08-27T17:39:48Z",
        "foreign_landing_url": "https://stocksnap.io/photo/XNVBVXO3B7",
        "url": "https://cdn.stocksnap.io/img-thumbs/960w/XNVBVXO3B7.jpg",
        "creator": "Tim Sullivan",
        "creator_url": "https://www.secretagencygroup.com",
        "license": "by",
        "license_version": "2.0",
        "license_url": "https://creativecommons.org/licenses/by/2.0/",
        "provider": "stocksnap",
        "source": "stocksnap",
        "category": "photograph",
        "filesize": 896_128,
        "filetype": "jpg",
        "tags": [{"accuracy": null, "name": "tree", "unstable__provider": "stocksnap"}],
        "attribution": "\"Tree Bark Photo\" by Tim Sullivan is licensed under CC BY 2.0.",
        "fields_matched": ["title"],
        "mature": false,
        "height": 4016,
        "width": 6016,
        "thumbnail": format!("{}/v1/images/{id}/thumb/", server.url()),
        "detail_url": format!("{}/v1/images/{id}/", server.url()),
        "related_url": format!("{}/v1/images/{id}/related/", server.url()),
        "unstable__sensitivity": [],
    })
}

/// A search's answer by Openverse.
pub fn openverse(works: &[Value]) -> Value {
    json!({
        "result_count": works.len(),
        "page_count": 1,
        "page_size": 10,
        "page": 1,
        "results": works,
    })
}

/// One photograph of Unsplash.
pub fn unsplash_photo(server: &Server) -> Value {
    let url = server.url();
    json!({
        "id": "eOLpJytrbsQ",
        "created_at": "2014-11-18T14:35:36-05:00",
        "width": 4000,
        "height": 3000,
        "color": "#A7A2A1",
        "blur_hash": "LaLXMa9Fx[D%~q%MtQM|kDRjtRIU",
        "likes": 286,
        "liked_by_user": false,
        "description": "A man drinking a coffee.",
        "user": {
            "id": "Ul0QVz12Goo",
            "username": "ugmonk",
            "name": "Jeff Sheldon",
            "links": {
                "self": "https://api.unsplash.com/users/ugmonk",
                "html": "http://unsplash.com/@ugmonk",
                "photos": "https://api.unsplash.com/users/ugmonk/photos",
            },
        },
        "current_user_collections": [],
        "urls": {
            "raw": format!("{url}/photo-1416339306562-f3d12fefd36f?ixid=M3w"),
            "full": format!("{url}/photo-1416339306562-f3d12fefd36f?ixid=M3w&q=85"),
        },
        "links": {
            "self": "https://api.unsplash.com/photos/eOLpJytrbsQ",
            "html": "http://unsplash.com/photos/eOLpJytrbsQ",
            "download": "http://unsplash.com/photos/eOLpJytrbsQ/download",
            "download_location": format!("{url}/photos/eOLpJytrbsQ/download?ixid=M3w"),
        },
    })
}

/// A search's answer by Unsplash.
pub fn unsplash(photos: &[Value]) -> Value {
    json!({"total": photos.len(), "total_pages": 1, "results": photos})
}

/// One photograph of Pexels.
pub fn pexels_photo(server: &Server) -> Value {
    let picture = format!("{}/photos/3573351/pexels-photo-3573351.png", server.url());
    json!({
        "id": 3_573_351,
        "width": 3066,
        "height": 3968,
        "url": "https://www.pexels.com/photo/trees-during-day-3573351/",
        "photographer": "Lukas Rodriguez",
        "photographer_url": "https://www.pexels.com/@lukas-rodriguez-1845331",
        "photographer_id": 1_845_331,
        "avg_color": "#374824",
        "src": {
            "original": picture,
            "large2x": format!("{picture}?auto=compress&cs=tinysrgb&dpr=2&h=650&w=940"),
            "landscape": format!("{picture}?auto=compress&cs=tinysrgb&fit=crop&h=627&w=1200"),
        },
        "liked": false,
        "alt": "Brown Rocks During Golden Hour",
    })
}

/// A search's answer by Pexels.
pub fn pexels(photos: &[Value]) -> Value {
    json!({
        "total_results": photos.len(),
        "page": 1,
        "per_page": 10,
        "photos": photos,
        "next_page": "https://api.pexels.com/v1/search/?page=2&per_page=10&query=nature",
    })
}

"""
The incidents of the service into DuckDB, as somebody would write it with dlt's REST source: slices of 31 days, pages by
cursor, merged by incident_id, all fields kept.

Usage: python pipeline.py BASE_URL FIRST LAST FOLDER default|tuned   (times in Unix seconds; the key in APP_KEY)
Prints one JSON line: rows, a checksum over what the comparison looks at, and the most memory in MB.
"""

import json
import os
import resource
import sys

import dlt
import duckdb
from dlt.sources.rest_api import rest_api_source

base_url, first, last, folder, mode = sys.argv[1:]
first, last = int(first), int(last)
tuned = mode == "tuned"
WINDOW = 31 * 86_400


@dlt.resource(name="windows", selected=False)
def windows():
    yield [
        {"start": start, "end": min(start + WINDOW, last)}
        for start in range(first, last, WINDOW)
    ]


source = rest_api_source(
    {
        "client": {
            "base_url": base_url,
            "auth": {
                "type": "api_key",
                "name": "app_key",
                "api_key": os.environ["APP_KEY"],
                "location": "query",
            },
        },
        "resources": [
            windows(),
            {
                "name": "incidents",
                "primary_key": "incident_id",
                "write_disposition": "merge",
                "columns": {
                    "labels": {"data_type": "json"},
                    "fields": {"data_type": "json"},
                },
                **({"parallelized": True} if tuned else {}),
                "endpoint": {
                    "path": "incident/list",
                    "method": "POST",
                    "json": {
                        "start_time": "{resources.windows.start}",
                        "end_time": "{resources.windows.end}",
                        "asc": True,
                        "limit": 100,
                    },
                    "data_selector": "data.items",
                    "paginator": {
                        "type": "cursor",
                        "cursor_path": "data.search_after_ctx",
                        "cursor_body_path": "search_after_ctx",
                        "has_more_path": "data.has_next_page",
                    },
                },
            },
        ],
    },
    **({"max_table_nesting": 0} if tuned else {}),
)

database = os.path.join(folder, "dlt.duckdb")
pipeline = dlt.pipeline(
    pipeline_name="peers",
    pipelines_dir=os.path.join(folder, "pipelines"),
    destination=dlt.destinations.duckdb(database),
    dataset_name="service",
)
pipeline.run(source, **({"loader_file_format": "parquet"} if tuned else {}))

with duckdb.connect(database, read_only=True) as connection:
    rows, checksum = connection.execute(
        """
        select count(*), md5(string_agg(
            concat_ws('|', incident_id, progress, ack_time, close_time, updated_at), chr(10) order by incident_id
        )) from service.incidents
        """
    ).fetchone()

usage = max(
    resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
)
print(json.dumps({"rows": rows, "checksum": checksum, "peak_mb": round(usage / 1024)}))

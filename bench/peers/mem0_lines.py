"""mem0 as a program, for the Python of its own environment: `mem0_lines.py HOME`, one JSON value a line.

mem0 is a library; this is the least process around it. Memories are kept as they are told (`infer=False`).
"""

import json
import sys
from typing import Any

from mem0 import Memory

USER = "bench"
VECTORS = {"on_disk": True, "embedding_model_dims": 384, "collection_name": "memories"}
CONFIGURATION = {
    "embedder": {"provider": "fastembed", "config": {"model": "sentence-transformers/all-MiniLM-L6-v2"}},
    "llm": {"provider": "openai", "config": {"api_key": "never asked"}},
}


def main(home: str) -> None:
    vectors = {"provider": "qdrant", "config": {**VECTORS, "path": f"{home}/vectors"}}
    memory = Memory.from_config({**CONFIGURATION, "vector_store": vectors, "history_db_path": f"{home}/history.db"})
    answer(None)
    for line in sys.stdin:
        answer(done(memory, json.loads(line)))


def done(memory: Any, asked: dict[str, Any]) -> object:
    whose = {"user_id": USER}
    if "key" in asked:
        return bool(memory.add(asked["text"], **whose, infer=False, metadata={"key": asked["key"]})["results"])
    if "query" in asked:
        found = memory.search(asked["query"], filters=whose, top_k=asked["limit"], threshold=0.0)["results"]
        return [one["metadata"]["key"] for one in found]
    return len(memory.get_all(filters=whose, top_k=100_000)["results"])


def answer(value: object) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

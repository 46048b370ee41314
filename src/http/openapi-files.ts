/** OpenAPI description of the transfer folder. */
import { listOf, refTo } from "./openapi-schema.ts";
import { putFileQuery } from "./query.ts";

export const bytes = { type: "string", format: "binary" };

export const filePaths = {
  "/file": { get: { summary: "List the files of this node", data: listOf(refTo("File")) } },
  "/file/{name}": {
    put: {
      summary: "Store a file on this node, atomically",
      data: refTo("StoredFile"),
      query: putFileQuery,
      bytes: true,
      created: true,
      fails: ["400", "413", "415", "507"],
    },
    get: {
      summary: "Download a file",
      data: bytes,
      stream: "application/octet-stream",
      gives: { "X-File-Size": "Size in bytes" },
      fails: ["404"],
    },
    delete: { summary: "Remove a file", data: refTo("File"), fails: ["404"] },
  },
} as const;

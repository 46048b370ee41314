/** The transfer folder, as OpenAPI describes it. */
import { listOf, refTo } from "./openapi-schema.ts";
import { putFileQuery } from "./query.ts";

export const bytes = { type: "string", format: "binary" };

export const filePaths = {
  "/file": { get: { summary: "List the files of this node", data: listOf(refTo("File")) } },
  "/file/{name}": {
    put: {
      summary: "Store a file on this node, whole or not at all",
      data: refTo("StoredFile"),
      query: putFileQuery,
      bytes: true,
      created: true,
      fails: ["400", "413", "415", "507"],
    },
    get: {
      summary: "The bytes of a file",
      data: bytes,
      stream: "application/octet-stream",
      gives: { "X-File-Size": "How many they are" },
      fails: ["404"],
    },
    delete: { summary: "Remove a file", data: refTo("File"), fails: ["404"] },
  },
} as const;

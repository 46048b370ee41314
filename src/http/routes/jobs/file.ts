/** The transfer folder of this node. */

import * as v from "valibot";
import { isTrue } from "../../../api/filters.ts";
import { fileRecord, storedFile } from "../../../api/jobs/file.ts";
import { described } from "../../../api/schema.ts";
import { shareOf } from "../../../auth/caller.ts";
import { ServiceError } from "../../../base/errors.ts";
import { rawData } from "../../answer/json-data.ts";
import { success } from "../../answer/respond.ts";
import { sendBytes, sendData, whileAllowed } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { truth } from "../../query.ts";
import { bytes, route } from "../../route.ts";

const mib = 1024 * 1024;

const putFile = route({
  id: "putFile",
  method: "PUT",
  path: "/file/:name",
  grows: true,
  scope: "operate",
  summary: "Store a file on this node, atomically",
  query: v.object({
    overwrite: described(truth, "`false`: an existing file is not replaced"),
    sha256: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits"),
        v.description("Expected hash of the body, in hexadecimal; a mismatch is rejected"),
      ),
    ),
  }),
  takes: "bytes",
  answer: storedFile,
  created: true,
  async handle(call, { overwrite = "true", sha256 }) {
    const { request, caller, options, name = "" } = call;
    requireBytes(request.headers);
    const stated = request.headers.get("content-length");
    begin(call);
    const stored = await options.files.put(
      name,
      whileAllowed<Uint8Array>(request.body ?? nothing(), call),
      {
        size: stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : undefined,
        overwrite: isTrue(overwrite),
        sha256: sha256?.toLowerCase(),
        signal: request.signal,
        onMoved: (bytes) => options.admission.rateLimiter.charge(shareOf(caller), bytes / mib),
      },
      caller,
    );
    return success(stored, "success", stored.replaced ? 200 : 201);
  },
});

const getFile = route({
  id: "getFile",
  method: "GET",
  path: "/file/:name",
  scope: "operate",
  summary: "Download a file",
  answer: bytes,
  stream: ["application/octet-stream"],
  gives: { "X-File-Size": "Size in bytes" },
  async handle(call) {
    begin(call);
    const { file, pieces } = await call.options.files.get(call.name ?? "", call.caller);
    return sendBytes(whileAllowed(pieces, call), call, {
      headers: {
        "Content-Type": "application/octet-stream",
        // The runtime sends no Content-Length with a streamed body.
        "X-File-Size": String(file.size),
        "Content-Disposition": "attachment",
        "Last-Modified": new Date(file.modified_at).toUTCString(),
      },
    });
  },
});

const listFiles = route({
  id: "listFiles",
  method: "GET",
  path: "/file",
  scope: "operate",
  summary: "List the files of this node",
  answer: v.array(fileRecord),
  async handle(call) {
    begin(call);
    const files = await call.options.files.list(call.caller);
    return sendData(rawData(JSON.stringify(files)), call, { repeatable: true });
  },
});

const removeFile = route({
  id: "removeFile",
  method: "DELETE",
  path: "/file/:name",
  scope: "operate",
  summary: "Remove a file",
  answer: fileRecord,
  handle: ({ options, name = "", caller }) => options.files.remove(name, caller),
});

export const fileRoutes = [listFiles, putFile, getFile, removeFile];

/** A transfer takes time, a descriptor and disk bandwidth, so few run at once. */
function begin({ options, caller, reservation }: Call): void {
  reservation.hold(options.admission.files.take(shareOf(caller)));
}

/** @throws ServiceError UnsupportedMediaType */
function requireBytes(headers: Headers): void {
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  const encoding = headers.get("content-encoding")?.toLowerCase() ?? "identity";
  if (!type.startsWith("multipart/") && encoding === "identity") return;
  throw new ServiceError(
    "UnsupportedMediaType",
    "The body must be the bytes of the file, not a form and not compressed, as `curl -T` sends it.",
  );
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

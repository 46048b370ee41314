/** PUT, GET and DELETE /file/{name}, GET /file: the transfer folder of this node. */
import { ServiceError } from "../../base/errors.ts";
import type { Call } from "../call.ts";
import { rawData } from "../json-data.ts";
import { putFileQuery, queryOf } from "../query.ts";
import { success } from "../respond.ts";
import { sendBytes, sendData, whileAllowed } from "../send-answer.ts";

const mib = 1024 * 1024;

export async function putFile(call: Call): Promise<Response> {
  const { request, caller, options, name = "" } = call;
  const { overwrite, sha256 } = queryOf(putFileQuery, call.url);
  requireBytes(request.headers);
  const stated = request.headers.get("content-length");
  begin(call);
  const stored = await options.files.put(
    name,
    whileAllowed<Uint8Array>(request.body ?? nothing(), call),
    {
      size: stated !== null && /^\d{1,15}$/.test(stated) ? Number(stated) : undefined,
      overwrite: overwrite !== "false" && overwrite !== "0",
      sha256: sha256?.toLowerCase(),
      signal: request.signal,
      onMoved: (bytes) => options.admission.rateLimiter.charge(caller.keyId, bytes / mib),
    },
    caller,
  );
  return success(stored, "success", stored.replaced ? 200 : 201);
}

export async function getFile(call: Call): Promise<Response> {
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
}

export async function listFiles(call: Call): Promise<Response> {
  begin(call);
  const files = await call.options.files.list(call.caller);
  return sendData(rawData(JSON.stringify(files)), call, { repeatable: true });
}

export async function deleteFile(call: Call): Promise<Response> {
  return success(await call.options.files.remove(call.name ?? "", call.caller));
}

/** A transfer takes time, a descriptor and disk bandwidth, so few run at once. */
function begin({ options, caller, reservation, extendTimeout }: Call): void {
  reservation.hold(options.admission.files.take(caller.keyId));
  extendTimeout();
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

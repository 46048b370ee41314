/** POST /template/render[/{name}] and /template/parse[/{name}]. */
import type { Call } from "../call.ts";
import { rawData, textData } from "../json-data.ts";
import { sendData } from "../send-answer.ts";

export async function render(call: Call): Promise<Response> {
  const body = await call.body();
  call.admitNextBody();
  call.extendTimeout();
  const { text, warnings } = await call.options.jobs.render(
    body,
    call.name,
    call.caller,
    call.request.signal,
  );
  return sendData(textData(text), call, { warnings, repeatable: true });
}

export async function parse(call: Call): Promise<Response> {
  const body = await call.body();
  call.admitNextBody();
  call.extendTimeout();
  const { json, warnings } = await call.options.jobs.parse(body, call.name, call.caller, call.request.signal);
  return sendData(rawData(json), call, { warnings, repeatable: true });
}

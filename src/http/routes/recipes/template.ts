/** Renders and parses without a device. */
import { parsedText, parseRequest, renderRequest, templateWarnings } from "../../../api/jobs/request.ts";
import { text } from "../../../api/schema.ts";
import { rawData, textData } from "../../answer/json-data.ts";
import { sendData } from "../../answer/send-answer.ts";
import type { Call } from "../../call.ts";
import { route } from "../../route.ts";

const ofTemplate = { method: "POST", scope: "operate", beside: templateWarnings, fails: ["404"] } as const;
const ofRender = { ...ofTemplate, body: renderRequest, answer: text, handle: render } as const;
const ofParse = { ...ofTemplate, body: parseRequest, answer: parsedText, handle: parse } as const;

export const templateRoutes = [
  route({
    ...ofRender,
    id: "renderTemplate",
    path: "/template/render",
    summary: "Render a template; with the default engine unless `name` is given",
  }),
  route({
    ...ofRender,
    id: "renderTemplateWith",
    path: "/template/render/:name",
    summary: "Render a template with the named engine",
  }),
  route({
    ...ofParse,
    id: "parseText",
    path: "/template/parse",
    summary: "Parse text; the template determines the parser unless `name` is given",
  }),
  route({
    ...ofParse,
    id: "parseTextWith",
    path: "/template/parse/:name",
    summary: "Parse text with the named parser",
  }),
];

async function render(call: Call): Promise<Response> {
  const body = await call.body();
  call.admitNextBody();
  const { caller, request, options } = call;
  const { text, warnings } = await options.jobs.render(body, call.name, caller, request.signal);
  return sendData(textData(text), call, { warnings, repeatable: true });
}

async function parse(call: Call): Promise<Response> {
  const body = await call.body();
  call.admitNextBody();
  const { caller, request, options } = call;
  const { json, warnings } = await options.jobs.parse(body, call.name, caller, request.signal);
  return sendData(rawData(json), call, { warnings, repeatable: true });
}

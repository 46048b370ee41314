/** What a template renders for the devices of a push, before its confirmation. */
import * as v from "valibot";
import { ApiError, ask, page } from "../api.ts";
import { entry } from "../shapes-inventory.ts";
import type { Template } from "./run-operation.ts";

export interface Preview {
  /** Different texts, with the devices they are for. */
  readonly texts: readonly { readonly names: readonly string[]; readonly rendered: string }[];
  readonly warnings: readonly string[];
  /** Devices it is rendered for. */
  readonly shown: number;
}

/** Devices it is rendered for at most. */
const maxDevices = 20;

/** @throws ApiError the template cannot be rendered for a device, which is named */
export async function previewOf(template: Template): Promise<Preview> {
  const names = [...template.names, ...(await selectedNames(template))].slice(0, maxDevices);
  const byText = new Map<string, string[]>();
  const warned = new Set<string>();
  for (const name of names) {
    const { data, warnings } = await renderedFor(template, name);
    for (const warning of warnings) warned.add(warning);
    byText.set(data, [...(byText.get(data) ?? []), name]);
  }
  const texts = [...byText].map(([rendered, names]) => ({ names, rendered }));
  return { texts, warnings: [...warned], shown: names.length };
}

async function selectedNames({ select, names }: Template): Promise<string[]> {
  const room = maxDevices - names.length;
  if (select === "" || room <= 0) return [];
  const search = new URLSearchParams({ select, limit: String(room) });
  return (await ask(v.array(entry), `/inventory/device?${search}`)).map(({ name }) => name);
}

async function renderedFor({ rendering, context }: Template, name: string) {
  const render = (more: object) =>
    page(v.string(), "/template/render", { method: "POST", body: { ...rendering, context, ...more } });
  try {
    return await render({ device: name }).catch((problem: unknown) => {
      // An address, or a name outside of the inventory: it has no variables of its own.
      if (problem instanceof ApiError && problem.status === 422) return render({});
      throw problem;
    });
  } catch (problem) {
    if (!(problem instanceof ApiError)) throw problem;
    throw new ApiError(problem.status, `${name}: ${problem.message}`, problem.data);
  }
}

/** Encodes spans as OTLP/HTTP JSON. */

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: "server" | "internal" | "client";
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Error message. */
  readonly error: string | undefined;
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const errorCode = 2;

export function otlpJson(spans: readonly Span[], service: Readonly<Record<string, string>>): string {
  const resource = { attributes: attributesOf(service) };
  const scopeSpans = [{ scope: { name: "patchbay" }, spans: spans.map(spanOf) }];
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startMs),
    endTimeUnixNano: nanoseconds(endMs),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: errorCode, message: error },
  };
}

/** As text, because a number cannot hold them exactly. */
const nanoseconds = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n);

function attributesOf(attributes: Span["attributes"]) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | boolean) {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/**
 * The messages of `gnmi.proto`: made by protoc-gen-es 2.17.0 (`target=ts`), without its comments and the descriptions that nobody
 * uses. Apache-2.0, as that file.
 */

import type { Message } from "@bufbuild/protobuf";
import type { GenFile, GenMessage } from "@bufbuild/protobuf/codegenv2";
import { fileDesc, messageDesc } from "@bufbuild/protobuf/codegenv2";
import type { Any, Duration } from "@bufbuild/protobuf/wkt";
import { file_google_protobuf_any, file_google_protobuf_duration } from "@bufbuild/protobuf/wkt";
export const file_gnmi: GenFile = fileDesc(
  "Cgpnbm1pLnByb3RvEgRnbm1pIocBCgxOb3RpZmljYXRpb24SEQoJdGltZXN0YW1wGAEgASgDEhoKBnByZWZpeBgCIAEoCzIKLmdubWkuUGF0aBIcCgZ1cGRhdGUYBCADKAsyDC5nbm1pLlVwZGF0ZRIaCgZkZWxldGUYBSADKAsyCi5nbm1pLlBhdGgSDgoGYXRvbWljGAYgASgIInEKBlVwZGF0ZRIYCgRwYXRoGAEgASgLMgouZ25taS5QYXRoEhoKBXZhbHVlGAIgASgLMgsuZ25taS5WYWx1ZRIdCgN2YWwYAyABKAsyEC5nbm1pLlR5cGVkVmFsdWUSEgoKZHVwbGljYXRlcxgEIAEoDSI0CgVWYWx1ZRINCgV2YWx1ZRgBIAEoDBIcCgR0eXBlGAIgASgOMg4uZ25taS5FbmNvZGluZyL7AgoKVHlwZWRWYWx1ZRIUCgpzdHJpbmdfdmFsGAEgASgJSAASEQoHaW50X3ZhbBgCIAEoA0gAEhIKCHVpbnRfdmFsGAMgASgESAASEgoIYm9vbF92YWwYBCABKAhIABITCglieXRlc192YWwYBSABKAxIABITCglmbG9hdF92YWwYBiABKAJIABImCgtkZWNpbWFsX3ZhbBgHIAEoCzIPLmdubWkuRGVjaW1hbDY0SAASKQoMbGVhZmxpc3RfdmFsGAggASgLMhEuZ25taS5TY2FsYXJBcnJheUgAEicKB2FueV92YWwYCSABKAsyFC5nb29nbGUucHJvdG9idWYuQW55SAASEgoIanNvbl92YWwYCiABKAxIABIXCg1qc29uX2lldGZfdmFsGAsgASgMSAASEwoJYXNjaWlfdmFsGAwgASgJSAASFQoLcHJvdG9fYnl0ZXMYDSABKAxIABIUCgpkb3VibGVfdmFsGA4gASgBSABCBwoFdmFsdWUiLgoJRGVjaW1hbDY0Eg4KBmRpZ2l0cxgBIAEoAxIRCglwcmVjaXNpb24YAiABKA0iMAoLU2NhbGFyQXJyYXkSIQoHZWxlbWVudBgBIAMoCzIQLmdubWkuVHlwZWRWYWx1ZSJVCgRQYXRoEg8KB2VsZW1lbnQYASADKAkSDgoGb3JpZ2luGAIgASgJEhwKBGVsZW0YAyADKAsyDi5nbm1pLlBhdGhFbGVtEg4KBnRhcmdldBgEIAEoCSJqCghQYXRoRWxlbRIMCgRuYW1lGAEgASgJEiQKA2tleRgCIAMoCzIXLmdubWkuUGF0aEVsZW0uS2V5RW50cnkaKgoIS2V5RW50cnkSCwoDa2V5GAEgASgJEg0KBXZhbHVlGAIgASgJOgI4ASJACglNb2RlbERhdGESDAoEbmFtZRgBIAEoCRIUCgxvcmdhbml6YXRpb24YAiABKAkSDwoHdmVyc2lvbhgDIAEoCSI3ChFDYXBhYmlsaXR5UmVxdWVzdBIiCglleHRlbnNpb24YASADKAsyDy5nbm1pLkV4dGVuc2lvbiKmAQoSQ2FwYWJpbGl0eVJlc3BvbnNlEikKEHN1cHBvcnRlZF9tb2RlbHMYASADKAsyDy5nbm1pLk1vZGVsRGF0YRIrChNzdXBwb3J0ZWRfZW5jb2RpbmdzGAIgAygOMg4uZ25taS5FbmNvZGluZxIUCgxnbm1pX3ZlcnNpb24YAyABKAkSIgoJZXh0ZW5zaW9uGAQgAygLMg8uZ25taS5FeHRlbnNpb24ikwIKCkdldFJlcXVlc3QSGgoGcHJlZml4GAEgASgLMgouZ25taS5QYXRoEhgKBHBhdGgYAiADKAsyCi5nbm1pLlBhdGgSJwoEdHlwZRgDIAEoDjIZLmdubWkuR2V0UmVxdWVzdC5EYXRhVHlwZRIgCghlbmNvZGluZxgFIAEoDjIOLmdubWkuRW5jb2RpbmcSIwoKdXNlX21vZGVscxgGIAMoCzIPLmdubWkuTW9kZWxEYXRhEiIKCWV4dGVuc2lvbhgHIAMoCzIPLmdubWkuRXh0ZW5zaW9uIjsKCERhdGFUeXBlEgcKA0FMTBAAEgoKBkNPTkZJRxABEgkKBVNUQVRFEAISDwoLT1BFUkFUSU9OQUwQAyJbCgtHZXRSZXNwb25zZRIoCgxub3RpZmljYXRpb24YASADKAsyEi5nbm1pLk5vdGlmaWNhdGlvbhIiCglleHRlbnNpb24YAyADKAsyDy5nbm1pLkV4dGVuc2lvbiLKAQoKU2V0UmVxdWVzdBIaCgZwcmVmaXgYASABKAsyCi5nbm1pLlBhdGgSGgoGZGVsZXRlGAIgAygLMgouZ25taS5QYXRoEh0KB3JlcGxhY2UYAyADKAsyDC5nbm1pLlVwZGF0ZRIcCgZ1cGRhdGUYBCADKAsyDC5nbm1pLlVwZGF0ZRIiCglleHRlbnNpb24YBSADKAsyDy5nbm1pLkV4dGVuc2lvbhIjCg11bmlvbl9yZXBsYWNlGAYgAygLMgwuZ25taS5VcGRhdGUihgEKC1NldFJlc3BvbnNlEhoKBnByZWZpeBgBIAEoCzIKLmdubWkuUGF0aBIkCghyZXNwb25zZRgCIAMoCzISLmdubWkuVXBkYXRlUmVzdWx0EhEKCXRpbWVzdGFtcBgEIAEoAxIiCglleHRlbnNpb24YBSADKAsyDy5nbm1pLkV4dGVuc2lvbiKkAQoMVXBkYXRlUmVzdWx0EhgKBHBhdGgYAiABKAsyCi5nbm1pLlBhdGgSKAoCb3AYBCABKA4yHC5nbm1pLlVwZGF0ZVJlc3VsdC5PcGVyYXRpb24iUAoJT3BlcmF0aW9uEgsKB0lOVkFMSUQQABIKCgZERUxFVEUQARILCgdSRVBMQUNFEAISCgoGVVBEQVRFEAMSEQoNVU5JT05fUkVQTEFDRRAEIooBChBTdWJzY3JpYmVSZXF1ZXN0EisKCXN1YnNjcmliZRgBIAEoCzIWLmdubWkuU3Vic2NyaXB0aW9uTGlzdEgAEhoKBHBvbGwYAyABKAsyCi5nbm1pLlBvbGxIABIiCglleHRlbnNpb24YBSADKAsyDy5nbm1pLkV4dGVuc2lvbkIJCgdyZXF1ZXN0IgYKBFBvbGwioAEKEVN1YnNjcmliZVJlc3BvbnNlEiQKBnVwZGF0ZRgBIAEoCzISLmdubWkuTm90aWZpY2F0aW9uSAASFwoNc3luY19yZXNwb25zZRgDIAEoCEgAEhwKBWVycm9yGAQgASgLMgsuZ25taS5FcnJvckgAEiIKCWV4dGVuc2lvbhgFIAMoCzIPLmdubWkuRXh0ZW5zaW9uQgoKCHJlc3BvbnNlIiYKBUVycm9yEgwKBGNvZGUYASABKA0SDwoHbWVzc2FnZRgCIAEoCSKjAgoQU3Vic2NyaXB0aW9uTGlzdBIaCgZwcmVmaXgYASABKAsyCi5nbm1pLlBhdGgSKAoMc3Vic2NyaXB0aW9uGAIgAygLMhIuZ25taS5TdWJzY3JpcHRpb24SKQoEbW9kZRgFIAEoDjIbLmdubWkuU3Vic2NyaXB0aW9uTGlzdC5Nb2RlEhkKEWFsbG93X2FnZ3JlZ2F0aW9uGAYgASgIEiMKCnVzZV9tb2RlbHMYByADKAsyDy5nbm1pLk1vZGVsRGF0YRIgCghlbmNvZGluZxgIIAEoDjIOLmdubWkuRW5jb2RpbmcSFAoMdXBkYXRlc19vbmx5GAkgASgIIiYKBE1vZGUSCgoGU1RSRUFNEAASCAoET05DRRABEggKBFBPTEwQAiKfAQoMU3Vic2NyaXB0aW9uEhgKBHBhdGgYASABKAsyCi5nbm1pLlBhdGgSJAoEbW9kZRgCIAEoDjIWLmdubWkuU3Vic2NyaXB0aW9uTW9kZRIXCg9zYW1wbGVfaW50ZXJ2YWwYAyABKAQSGgoSc3VwcHJlc3NfcmVkdW5kYW50GAQgASgIEhoKEmhlYXJ0YmVhdF9pbnRlcnZhbBgFIAEoBCJQCglFeHRlbnNpb24SHgoGY29tbWl0GAQgASgLMgwuZ25taS5Db21taXRIABIcCgVkZXB0aBgFIAEoCzILLmdubWkuRGVwdGhIAEIFCgNleHQi1QEKBkNvbW1pdBIKCgJpZBgBIAEoCRIlCgZjb21taXQYAiABKAsyEy5nbm1pLkNvbW1pdFJlcXVlc3RIABImCgdjb25maXJtGAMgASgLMhMuZ25taS5Db21taXRDb25maXJtSAASJAoGY2FuY2VsGAQgASgLMhIuZ25taS5Db21taXRDYW5jZWxIABJAChVzZXRfcm9sbGJhY2tfZHVyYXRpb24YBSABKAsyHy5nbm1pLkNvbW1pdFNldFJvbGxiYWNrRHVyYXRpb25IAEIICgZhY3Rpb24iRQoNQ29tbWl0UmVxdWVzdBI0ChFyb2xsYmFja19kdXJhdGlvbhgBIAEoCzIZLmdvb2dsZS5wcm90b2J1Zi5EdXJhdGlvbiIPCg1Db21taXRDb25maXJtIg4KDENvbW1pdENhbmNlbCJRChlDb21taXRTZXRSb2xsYmFja0R1cmF0aW9uEjQKEXJvbGxiYWNrX2R1cmF0aW9uGAEgASgLMhkuZ29vZ2xlLnByb3RvYnVmLkR1cmF0aW9uIhYKBURlcHRoEg0KBWxldmVsGAEgASgNKkQKCEVuY29kaW5nEggKBEpTT04QABIJCgVCWVRFUxABEgkKBVBST1RPEAISCQoFQVNDSUkQAxINCglKU09OX0lFVEYQBCpBChBTdWJzY3JpcHRpb25Nb2RlEhIKDlRBUkdFVF9ERUZJTkVEEAASDQoJT05fQ0hBTkdFEAESCgoGU0FNUExFEAJiBnByb3RvMw",
  [file_google_protobuf_any, file_google_protobuf_duration],
);
export type Notification = Message<"gnmi.Notification"> & {
  timestamp: bigint;
  prefix?: Path | undefined;
  update: Update[];
  delete: Path[];
  atomic: boolean;
};
export const NotificationSchema: GenMessage<Notification> = messageDesc(file_gnmi, 0);
export type Update = Message<"gnmi.Update"> & {
  path?: Path | undefined;
  value?: Value | undefined;
  val?: TypedValue | undefined;
  duplicates: number;
};
export type Value = Message<"gnmi.Value"> & {
  value: Uint8Array;
  type: Encoding;
};
export type TypedValue = Message<"gnmi.TypedValue"> & {
  value:
    | {
        value: string;
        case: "stringVal";
      }
    | {
        value: bigint;
        case: "intVal";
      }
    | {
        value: bigint;
        case: "uintVal";
      }
    | {
        value: boolean;
        case: "boolVal";
      }
    | {
        value: Uint8Array;
        case: "bytesVal";
      }
    | {
        value: number;
        case: "floatVal";
      }
    | {
        value: Decimal64;
        case: "decimalVal";
      }
    | {
        value: ScalarArray;
        case: "leaflistVal";
      }
    | {
        value: Any;
        case: "anyVal";
      }
    | {
        value: Uint8Array;
        case: "jsonVal";
      }
    | {
        value: Uint8Array;
        case: "jsonIetfVal";
      }
    | {
        value: string;
        case: "asciiVal";
      }
    | {
        value: Uint8Array;
        case: "protoBytes";
      }
    | {
        value: number;
        case: "doubleVal";
      }
    | { case: undefined; value?: undefined };
};
export const TypedValueSchema: GenMessage<TypedValue> = messageDesc(file_gnmi, 3);
export type Decimal64 = Message<"gnmi.Decimal64"> & {
  digits: bigint;
  precision: number;
};
export type ScalarArray = Message<"gnmi.ScalarArray"> & {
  element: TypedValue[];
};
export type Path = Message<"gnmi.Path"> & {
  element: string[];
  origin: string;
  elem: PathElem[];
  target: string;
};
export const PathSchema: GenMessage<Path> = messageDesc(file_gnmi, 6);
export type PathElem = Message<"gnmi.PathElem"> & {
  name: string;
  key: { [key: string]: string };
};
export type ModelData = Message<"gnmi.ModelData"> & {
  name: string;
  organization: string;
  version: string;
};
export type CapabilityRequest = Message<"gnmi.CapabilityRequest"> & {
  extension: Extension[];
};
export const CapabilityRequestSchema: GenMessage<CapabilityRequest> = messageDesc(file_gnmi, 9);
export type CapabilityResponse = Message<"gnmi.CapabilityResponse"> & {
  supportedModels: ModelData[];
  supportedEncodings: Encoding[];
  gnmiVersion: string;
  extension: Extension[];
};
export const CapabilityResponseSchema: GenMessage<CapabilityResponse> = messageDesc(file_gnmi, 10);
export type GetRequest = Message<"gnmi.GetRequest"> & {
  prefix?: Path | undefined;
  path: Path[];
  type: GetRequest_DataType;
  encoding: Encoding;
  useModels: ModelData[];
  extension: Extension[];
};
export const GetRequestSchema: GenMessage<GetRequest> = messageDesc(file_gnmi, 11);
export enum GetRequest_DataType {
  ALL = 0,
  CONFIG = 1,
  STATE = 2,
  OPERATIONAL = 3,
}
export type GetResponse = Message<"gnmi.GetResponse"> & {
  notification: Notification[];
  extension: Extension[];
};
export const GetResponseSchema: GenMessage<GetResponse> = messageDesc(file_gnmi, 12);
export type SetRequest = Message<"gnmi.SetRequest"> & {
  prefix?: Path | undefined;
  delete: Path[];
  replace: Update[];
  update: Update[];
  extension: Extension[];
  unionReplace: Update[];
};
export const SetRequestSchema: GenMessage<SetRequest> = messageDesc(file_gnmi, 13);
export type SetResponse = Message<"gnmi.SetResponse"> & {
  prefix?: Path | undefined;
  response: UpdateResult[];
  timestamp: bigint;
  extension: Extension[];
};
export const SetResponseSchema: GenMessage<SetResponse> = messageDesc(file_gnmi, 14);
export type UpdateResult = Message<"gnmi.UpdateResult"> & {
  path?: Path | undefined;
  op: UpdateResult_Operation;
};
export enum UpdateResult_Operation {
  INVALID = 0,
  DELETE = 1,
  REPLACE = 2,
  UPDATE = 3,
  UNION_REPLACE = 4,
}
export type SubscribeRequest = Message<"gnmi.SubscribeRequest"> & {
  request:
    | {
        value: SubscriptionList;
        case: "subscribe";
      }
    | {
        value: Poll;
        case: "poll";
      }
    | { case: undefined; value?: undefined };
  extension: Extension[];
};
export const SubscribeRequestSchema: GenMessage<SubscribeRequest> = messageDesc(file_gnmi, 16);
export type Poll = Message<"gnmi.Poll"> & {};
export type SubscribeResponse = Message<"gnmi.SubscribeResponse"> & {
  response:
    | {
        value: Notification;
        case: "update";
      }
    | {
        value: boolean;
        case: "syncResponse";
      }
    | {
        value: Error;
        case: "error";
      }
    | { case: undefined; value?: undefined };
  extension: Extension[];
};
export const SubscribeResponseSchema: GenMessage<SubscribeResponse> = messageDesc(file_gnmi, 18);
export type Error = Message<"gnmi.Error"> & {
  code: number;
  message: string;
};
export type SubscriptionList = Message<"gnmi.SubscriptionList"> & {
  prefix?: Path | undefined;
  subscription: Subscription[];
  mode: SubscriptionList_Mode;
  allowAggregation: boolean;
  useModels: ModelData[];
  encoding: Encoding;
  updatesOnly: boolean;
};
export enum SubscriptionList_Mode {
  STREAM = 0,
  ONCE = 1,
  POLL = 2,
}
export type Subscription = Message<"gnmi.Subscription"> & {
  path?: Path | undefined;
  mode: SubscriptionMode;
  sampleInterval: bigint;
  suppressRedundant: boolean;
  heartbeatInterval: bigint;
};
export type Extension = Message<"gnmi.Extension"> & {
  ext:
    | {
        value: Commit;
        case: "commit";
      }
    | {
        value: Depth;
        case: "depth";
      }
    | { case: undefined; value?: undefined };
};
export const ExtensionSchema: GenMessage<Extension> = messageDesc(file_gnmi, 22);
export type Commit = Message<"gnmi.Commit"> & {
  id: string;
  action:
    | {
        value: CommitRequest;
        case: "commit";
      }
    | {
        value: CommitConfirm;
        case: "confirm";
      }
    | {
        value: CommitCancel;
        case: "cancel";
      }
    | {
        value: CommitSetRollbackDuration;
        case: "setRollbackDuration";
      }
    | { case: undefined; value?: undefined };
};
export type CommitRequest = Message<"gnmi.CommitRequest"> & {
  rollbackDuration?: Duration | undefined;
};
export type CommitConfirm = Message<"gnmi.CommitConfirm"> & {};
export type CommitCancel = Message<"gnmi.CommitCancel"> & {};
export type CommitSetRollbackDuration = Message<"gnmi.CommitSetRollbackDuration"> & {
  rollbackDuration?: Duration | undefined;
};
export type Depth = Message<"gnmi.Depth"> & {
  level: number;
};
export enum Encoding {
  JSON = 0,
  BYTES = 1,
  PROTO = 2,
  ASCII = 3,
  JSON_IETF = 4,
}
export enum SubscriptionMode {
  TARGET_DEFINED = 0,
  ON_CHANGE = 1,
  SAMPLE = 2,
}

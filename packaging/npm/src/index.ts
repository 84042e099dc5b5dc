export { resolveBinary, type Binary, type BinaryLookup } from './binary.js';
export { ExecExtError, ToolDenied, type ErrorCode, type ErrorDetail } from './errors.js';
export { ExecExt, type FlatCallParams, type PrepareParams, type RunParams, type TurnPlan } from './exec-ext.js';
export type { CallContext, HostCallbacks, Permission, PoolContext } from './host.js';
export type { ExecExtOptions } from './options.js';
export type { Backoff } from './supervisor.js';
export * from './protocol.js';

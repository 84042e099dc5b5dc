import type { CallRecord, CallOutcome } from './protocol.js';

// What a model reads when the extension itself is gone; everything else it reads comes from the extension.

/** The text of a failed Exec call, with the fate of the calls that were made. */
export function lostRunText(calls: CallRecord[], cancelled: boolean): string {
  const done = namesOf(calls, (c) => c.status === 'ok' || c.status === 'error');
  const open = namesOf(calls, (c) => c.status === 'in_flight' || c.status === 'cancelled');
  const lines = [
    cancelled
      ? 'Exec was cancelled.'
      : 'Exec failed: the process that runs scripts ended or could not be started. Nothing is wrong with the script.',
  ];
  if (done) lines.push(`Calls that completed and remain in effect: ${done}.`);
  if (open) lines.push(`Calls that may or may not have taken effect: ${open}. Check before you repeat them.`);
  if (!cancelled) {
    lines.push('Run the remaining steps again; if that fails too, tell the user that Exec does not work at present.');
  }
  return lines.join('\n');
}

function namesOf(calls: CallRecord[], which: (c: CallRecord) => boolean): string {
  return calls.filter(which).map((c) => c.name).join(', ');
}

/** The text of one leaf's outcome, for a model that called the leaf itself in flat mode. */
export function outcomeText(outcome: Exclude<CallOutcome, { outcome: 'result' }>): string {
  switch (outcome.outcome) {
    case 'denied':
      return `The call was not permitted: ${outcome.reason}`;
    case 'cancelled':
      return 'The call was cancelled.';
    default:
      return `The tool could not be reached: ${outcome.reason}`;
  }
}

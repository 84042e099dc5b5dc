import type { Message } from 'vscode-jsonrpc/node';
import { messageOf } from './errors.js';
import { rawMember } from './raw.js';

const ARGUMENTS_TEXT = Symbol('the arguments of a host call as they came');

/** The bytes of `arguments` in a `host/*` request, as text; what a grant is bound to. */
export function argumentsText(params: object): string {
  return (params as { [ARGUMENTS_TEXT]?: string })[ARGUMENTS_TEXT] ?? '{}';
}

/** Reads a message and keeps the text of a host call's arguments beside the parsed ones. */
export const decoder = {
  name: 'application/json',
  async decode(bytes: Uint8Array): Promise<Message> {
    const text = new TextDecoder().decode(bytes);
    const message = JSON.parse(text);
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new Error('not a message');
    if (String(message.method).startsWith('host/') && message.params && typeof message.params === 'object') {
      Object.defineProperty(message.params, ARGUMENTS_TEXT, { value: rawMember(text, ['params', 'arguments']) });
    }
    // vscode-jsonrpc fails at a cancellation without an id; one that names nothing is harmless.
    if (message.method === '$/cancelRequest' && message.params?.id == null) message.params = { id: '' };
    return message;
  },
};

/**
 * Writes messages. An answer that JSON cannot hold, or that is larger than the extension takes, becomes an error
 * answer, so that no call is left open; a request is refused to its sender.
 */
export function encoder(maxBytes: () => number) {
  return {
    name: 'application/json',
    async encode(message: Message): Promise<Uint8Array> {
      try {
        return encodeWithin(message, maxBytes());
      } catch (thrown) {
        if (!('id' in message) || 'method' in message) throw thrown;
        const error = { code: -32603, message: `the host's answer cannot be sent: ${messageOf(thrown)}` };
        return new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id: message.id, error }));
      }
    },
  };
}

function encodeWithin(message: Message, maxBytes: number): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(message));
  if (bytes.length > maxBytes) throw new Error('it is larger than the extension takes');
  return bytes;
}

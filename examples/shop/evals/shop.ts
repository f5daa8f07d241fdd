import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// The shop as evaluations have it, in place of the one that the agent's functions act on: a file in the folder of a case.
// It does what it is told. What may be done is for the agent to know, and is what the cases look at.

export interface Shop {
  today: string;
  products: Record<string, { name: string; price: number; stock: number }>;
  orders: Record<string, Order>;
  handed_over: string[];
}

interface Order {
  email: string;
  status: string;
  items: Item[];
  address: string;
  promised: string;
  delivered: string | null;
  voucher: boolean;
}

interface Item {
  sku: string;
  quantity: number;
  price: number;
  final_sale: boolean;
  refunded: boolean;
}

/** The arguments of all functions: each call has those that its own function takes. */
export interface Arguments {
  order: string;
  address: string;
  skus: string[];
  sku: string;
  for: string;
  topic: string;
}

/** What the model reads of a call. They throw for what is not there. */
const ACTS: Record<string, (shop: Shop, args: Arguments) => unknown> = {
  find_order: (shop, { order }) => find(shop, order),
  cancel_order(shop, { order }) {
    find(shop, order).status = 'cancelled';
    return `${order} is cancelled`;
  },
  change_address(shop, { order, address }) {
    find(shop, order).address = address;
    return `${order} goes to ${address}`;
  },
  refund_items(shop, { order, skus }) {
    const items = skus.map((sku) => itemOf(find(shop, order), sku));
    for (const item of items) item.refunded = true;
    return `refunded $${items.reduce((sum, { quantity, price }) => sum + quantity * price, 0)}`;
  },
  exchange_item(shop, { order, sku, for: wanted }) {
    const item = itemOf(find(shop, order), sku);
    const product = shop.products[wanted];
    if (product === undefined) throw new Error(`there is no product ${wanted}`);
    item.sku = wanted;
    product.stock -= item.quantity;
    return `${sku} is exchanged for ${wanted}`;
  },
  give_voucher(shop, { order }) {
    find(shop, order).voucher = true;
    return 'sent a voucher of $10';
  },
  hand_over(shop, { topic }) {
    shop.handed_over.push(topic);
    return 'a colleague takes over';
  },
};

function find({ orders }: Shop, id: string): Order {
  const order = orders[id];
  if (order === undefined) throw new Error(`there is no order ${id}`);
  return order;
}

function itemOf({ items }: Order, sku: string): Item {
  const item = items.find((each) => each.sku === sku);
  if (item === undefined) throw new Error(`the order has no ${sku}`);
  return item;
}

/** Does one thing to a shop. @returns what the model reads of it */
export function act(shop: Shop, name: string, args: Arguments): unknown {
  const found = ACTS[name];
  if (found === undefined) throw new Error(`nothing is called ${name}`);
  return found(shop, args);
}

export async function readShop(folder: string): Promise<Shop> {
  // oxlint-disable-next-line typescript/no-unsafe-return -- JSON.parse gives any; the file is this example's own
  return JSON.parse(await readFile(join(folder, 'shop.json'), 'utf8'));
}

/** A function as the agent calls it: it acts on the shop in the folder of the case. */
function standIn(name: string) {
  return async (args: Arguments, { workspace }: { workspace: string }) => {
    const shop = await readShop(workspace);
    const result = act(shop, name, args);
    await writeFile(join(workspace, 'shop.json'), JSON.stringify(shop));
    return result;
  };
}

export const find_order = standIn('find_order');
export const cancel_order = standIn('cancel_order');
export const change_address = standIn('change_address');
export const refund_items = standIn('refund_items');
export const exchange_item = standIn('exchange_item');
export const give_voucher = standIn('give_voucher');
export const hand_over = standIn('hand_over');

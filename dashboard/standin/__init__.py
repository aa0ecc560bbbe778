"""A stand-in for the External Business API. Imports nothing of the dashboard.

    with StandIn(profile="verbose", size="small", seed=1) as s:
        access, secret = s.keys["acme"][0]

or `python -m dashboard.standin`, see `--help`.

Workspaces: *acme* (six key pairs), *globex* (three) and *solo* (one; the plan has contacts and
tasks only). *alder* is filled by the size "demo" with the
year of a firm as it might be; the records of the others have names and long and unusual values.
Each also has a revoked pair. Keys follow from the seed, see `keys`.

The profile decides what the reference leaves open:

| what                             | terse             | verbose            | hostile              |
|----------------------------------|-------------------|--------------------|----------------------|
| record not found                 | 404               | 400 with a message | 404, an HTML page    |
| operation that is not offered    | 404               | 405 with a message | 405, an HTML page    |
| body that breaks a rule          | 422, no message   | 422 with `errors`  | 200, success false   |
| field that is not accepted       | ignored           | 422                | ignored              |
| id that the workspace has not    | 422 (records)     | 422 (all ids)      | as 422 (records)     |
| pageSize above 100               | 100               | 422                | 10                   |
| sortBy that is no list field     | ignored           | 422                | 200, success false   |
| contact with invoices, deleted   | gone              | 409                | gone                 |
| empty values                     | left out          | null               | null                 |
| ids and money                    | numbers           | strings            | strings, some broken |
| detail of an invoice             | `data`            | `data.invoice`     | `data.invoice`       |
| its lines                        | `items`           | `line_items`       | `invoice_items`      |

A fault is asked for by the header `x-standin-fault: reset-after`, by `!fault:reset-after` in any
field or search, by a rule at the admin port (see `admin`), or by the key pair of a persona (see
`personas`). `faults.kinds` has them all.

`resources` has one module per resource, with its fields, rules and sample records.
"""

from .standin import StandIn

__all__ = ["StandIn"]

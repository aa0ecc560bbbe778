// What the form of a record needs: that nothing typed is lost (the end of a session, and drafts), references to other records,
// and dates.

import "session";
import "drafts";
import "picker";
import "days";

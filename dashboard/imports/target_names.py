"""The names of what a column can go to beside the fields of a form."""

ID = "id"  # the column with the number of the record that a row changes
NAME, NOTES = "cstname", "cstnotes"
BUSINESS_OF_CONTACT = "contact_parent"
BUSINESSES = (BUSINESS_OF_CONTACT, "lead_company_name")  # the fields with the business of a person
CONTACT_TYPE, BUSINESS = "contact_type", "2"  # a contact that is a business
LOOSE = "loose"  # columns whose cells are lines of the notes
CUSTOM, CUSTOM_FIELDS = "custom:", "custom_fields"  # before the name of a custom field; the field
LINE = "line:"  # before the name of a cell of a line
NAMES_OF_LINES = (f"{LINE}item_name", f"{LINE}tax_id")  # cells that name entries of lists

NEW = {"new:2": 2, "new:1": 1}  # stands for a contact that is to be created, of this type
LEAVE = "leave"  # stands for leaving out the rows with a name
ALL = ""  # in place of a name: what all names without a record stand for

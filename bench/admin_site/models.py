"""The columns of the dashboard's list of contacts, as a table of our own."""

from django.db import models


class Contact(models.Model):
    cstname = models.CharField("name", max_length=100)
    cstemail = models.CharField("email", max_length=254)
    cstmobile = models.CharField("phone", max_length=50)
    contact_type = models.IntegerField(
        "type", choices=[(1, "Individual"), (2, "Business")], db_index=True
    )
    cstcreated_on = models.DateTimeField("created", null=True)

    def __str__(self) -> str:
        return self.cstname


class HundredContacts(Contact):
    class Meta:
        proxy = True
